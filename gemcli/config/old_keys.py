"""Names that settings had before they were grouped: a file that still uses them means the new ones."""

from typing import Any, cast

OLD_KEYS = {
    "accessibility": "ui.accessibility",
    "allowedTools": "tools.allowed",
    "allowMCPServers": "mcp.allowed",
    "autoAccept": "tools.autoAccept",
    "autoConfigureMaxOldSpaceSize": "advanced.autoConfigureMemory",
    "bugCommand": "advanced.bugCommand",
    "chatCompression": "model.chatCompression",
    "checkpointing": "general.checkpointing",
    "contextFileName": "context.fileName",
    "coreTools": "tools.core",
    "customThemes": "ui.customThemes",
    "customWittyPhrases": "ui.customWittyPhrases",
    "debugKeystrokeLogging": "general.debugKeystrokeLogging",
    "disableAutoUpdate": "general.disableAutoUpdate",
    "disableUpdateNag": "general.disableUpdateNag",
    "dnsResolutionOrder": "advanced.dnsResolutionOrder",
    "enablePromptCompletion": "general.enablePromptCompletion",
    "enforcedAuthType": "security.auth.enforcedType",
    "excludedProjectEnvVars": "advanced.excludedEnvVars",
    "excludeMCPServers": "mcp.excluded",
    "excludeTools": "tools.exclude",
    "fileFiltering": "context.fileFiltering",
    "folderTrust": "security.folderTrust.enabled",
    "hasSeenIdeIntegrationNudge": "ide.hasSeenNudge",
    "hideBanner": "ui.hideBanner",
    "hideContextSummary": "ui.hideContextSummary",
    "hideCWD": "ui.footer.hideCWD",
    "hideFooter": "ui.hideFooter",
    "hideModelInfo": "ui.footer.hideModelInfo",
    "hideSandboxStatus": "ui.footer.hideSandboxStatus",
    "hideTips": "ui.hideTips",
    "hideWindowTitle": "ui.hideWindowTitle",
    "ideMode": "ide.enabled",
    "includeDirectories": "context.includeDirectories",
    "loadMemoryFromIncludeDirectories": "context.loadMemoryFromIncludeDirectories",
    "maxSessionTurns": "model.maxSessionTurns",
    "mcpServerCommand": "mcp.serverCommand",
    "memoryDiscoveryMaxDirs": "context.discoveryMaxDirs",
    "memoryImportFormat": "context.importFormat",
    "model": "model.name",
    "preferredEditor": "general.preferredEditor",
    "retryFetchErrors": "general.retryFetchErrors",
    "sandbox": "tools.sandbox",
    "selectedAuthType": "security.auth.selectedType",
    "shellPager": "tools.shell.pager",
    "shellShowColor": "tools.shell.showColor",
    "shouldUseNodePtyShell": "tools.shell.enableInteractiveShell",
    "showCitations": "ui.showCitations",
    "showLineNumbers": "ui.showLineNumbers",
    "showMemoryUsage": "ui.showMemoryUsage",
    "showStatusInTitle": "ui.showStatusInTitle",
    "skipNextSpeakerCheck": "model.skipNextSpeakerCheck",
    "summarizeToolOutput": "model.summarizeToolOutput",
    "theme": "ui.theme",
    "toolCallCommand": "tools.callCommand",
    "toolDiscoveryCommand": "tools.discoveryCommand",
    "usageStatisticsEnabled": "privacy.usageStatisticsEnabled",
    "useExternalAuth": "security.auth.useExternal",
    "useRipgrep": "tools.useRipgrep",
    "vimMode": "general.vimMode",
}


def renewed(values: dict[str, Any]) -> dict[str, Any]:
    """The same settings under their new names; where a file has both, the new name counts."""
    result = {key: value for key, value in values.items() if not _is_old(key, value)}
    for key, value in values.items():
        if _is_old(key, value):
            _set_default(result, OLD_KEYS[key].split("."), value)
    return result


def _is_old(key: str, value: object) -> bool:
    """`model` is a name in the old form and a group in the new one."""
    return key in OLD_KEYS and not (key == "model" and isinstance(value, dict))


def _set_default(values: dict[str, Any], path: list[str], value: object) -> None:
    for name in path[:-1]:
        below = values.setdefault(name, {})
        if not isinstance(below, dict):
            return  # the new form holds something odd; that is for its own check to say
        values[name] = below = dict(cast("dict[str, Any]", below))
        values = below
    values.setdefault(path[-1], value)
