"""Every setting there is: Gemini CLI's, and our own.

Those that code asks for are constants; the rest is here so that a file which uses them is understood and the docs say
where they stand.
"""

from typing import Any

from gemcli.config.setting import (
    BOOL,
    INTEGER,
    LIST,
    NUMBER,
    OBJECT,
    POSITIVE,
    SANDBOX,
    TEXT,
    TEXT_OR_TEXTS,
    TEXTS,
    Kind,
    Merge,
    Setting,
    State,
    choice,
)
from gemcli.kinds import ApprovalMode, AuthKind, OutputFormat

AnySetting = Setting[Any]

OUTPUT_FORMAT = Setting("output.format", choice(*OutputFormat), "text", "How headless runs print their answer.")
MODEL_NAME = Setting("model.name", TEXT, "auto", "The model: a name or an alias (auto, pro, flash, flash-lite).")
PREVIEW_FEATURES = Setting(
    "general.previewFeatures",
    BOOL,
    False,
    "The aliases auto, pro and flash mean preview models instead of stable ones.",
)
MODEL_CONFIGS = Setting(
    "modelConfigs",
    OBJECT,
    {},
    "customAliases: names for models with a generateContentConfig of their own; customOverrides: the same for models.",
)
MAX_SESSION_TURNS = Setting(
    "model.maxSessionTurns", INTEGER, -1, "How many model calls a session may make; -1 is no limit (exit code 53)."
)
SIDE_MODEL = Setting(
    "model.sideCalls",
    TEXT,
    "",
    "The model for summaries and other calls beside the conversation; else its own. Our own.",
)
COMPRESSION_THRESHOLD = Setting(
    "model.compressionThreshold", POSITIVE, 0.5, "The share of the model's window at which the history is compressed."
)
SKIP_NEXT_SPEAKER = Setting(
    "model.skipNextSpeakerCheck", BOOL, True, "false: ask the model after each answer whether it meant to go on."
)
DISABLE_LOOP_DETECTION = Setting(
    "model.disableLoopDetection", BOOL, False, "Let the model repeat itself as often as it likes."
)
APPROVAL_MODE = Setting(
    "general.defaultApprovalMode",
    choice(ApprovalMode.DEFAULT, ApprovalMode.AUTO_EDIT, ApprovalMode.PLAN),
    "default",
    "What is done without asking; yolo is a word of the command line only.",
)
MAX_ATTEMPTS = Setting("general.maxAttempts", INTEGER, 10, "Attempts of a request that gets no answer; 10 at most.")
RETRY_FETCH_ERRORS = Setting("general.retryFetchErrors", BOOL, True, "Try again when the service cannot be reached.")
CONNECT_TIMEOUT = Setting("network.connectTimeout", POSITIVE, 10.0, "Seconds for making a connection. Our own.")
FIRST_BYTE_TIMEOUT = Setting("network.firstByteTimeout", POSITIVE, 120.0, "Seconds until an answer begins. Our own.")
SILENCE_TIMEOUT = Setting(
    "network.silenceTimeout",
    POSITIVE,
    60.0,
    "Seconds of silence inside an answer that mean a lost connection. Our own.",
)
AUTH_TYPE = Setting("security.auth.selectedType", TEXT, "", f"How to sign in: {', '.join(AuthKind)}.")
ENFORCED_AUTH_TYPE = Setting(
    "security.auth.enforcedType", TEXT, "", "The only kind of sign-in that is accepted (exit code 41)."
)
FOLDER_TRUST = Setting(
    "security.folderTrust.enabled", BOOL, True, "Read a folder's own files only when it is trusted.", trusted_only=True
)
DISABLE_YOLO = Setting("security.disableYoloMode", BOOL, False, "Refuse the yolo mode (exit code 52).")
SECURE_MODE = Setting("admin.secureModeEnabled", BOOL, False, "The administrator's word for the same.")
SANDBOX_WANTED = Setting("tools.sandbox", SANDBOX, False, "Ask for a sandbox; as there is none yet, exit code 44.")
TOOL_SANDBOXING = Setting("security.toolSandboxing", BOOL, False, "Ask for a sandbox around tools; likewise.")
EXCLUDED_ENV = Setting(
    "advanced.excludedEnvVars",
    TEXTS,
    ["DEBUG", "DEBUG_MODE"],
    "Variables that a project's .env file does not set.",
    Merge.UNION,
)
IGNORE_LOCAL_ENV = Setting("advanced.ignoreLocalEnv", BOOL, False, "Do not read a project's .env file.")
CONTEXT_FILE_NAME = Setting("context.fileName", TEXT_OR_TEXTS, "GEMINI.md", "What context files are called.")
CONTEXT_MARKERS = Setting(
    "context.memoryBoundaryMarkers",
    TEXTS,
    [".git"],
    "Context files are looked for up to the folder that holds one of these.",
)
INCLUDE_DIRECTORIES = Setting(
    "context.includeDirectories", TEXTS, [], "Folders that belong to the workspace, too.", Merge.CONCAT
)
CONTEXT_OF_INCLUDED = Setting(
    "context.loadMemoryFromIncludeDirectories", BOOL, False, "Read the context files of those folders as well."
)
DIRECTORY_TREE = Setting(
    "context.includeDirectoryTree", BOOL, True, "Tell the model at the start what the folders hold."
)
RESPECT_GIT_IGNORE = Setting("context.fileFiltering.respectGitIgnore", BOOL, True, "Leave out what git ignores.")
RESPECT_GEMINI_IGNORE = Setting(
    "context.fileFiltering.respectGeminiIgnore", BOOL, True, "Leave out what .geminiignore names."
)
CUSTOM_IGNORE_FILES = Setting(
    "context.fileFiltering.customIgnoreFilePaths",
    TEXTS,
    [],
    "More ignore files; they win over the others.",
    Merge.UNION,
)
HOOKS = Setting(
    "hooks", OBJECT, {}, "Commands at certain moments. They do not run yet: a warning says so.", Merge.SHALLOW
)
HOOKS_ENABLED = Setting("hooksConfig.enabled", BOOL, True, "Whether hooks are wanted at all.")
PRICES = Setting(
    "billing.prices",
    OBJECT,
    {},
    "Prices by model, in US dollars per million tokens: {input, output, cached}. Our own.",
    Merge.SHALLOW,
)

_HONOURED: list[AnySetting] = [
    OUTPUT_FORMAT,
    MODEL_NAME,
    PREVIEW_FEATURES,
    MODEL_CONFIGS,
    MAX_SESSION_TURNS,
    SIDE_MODEL,
    COMPRESSION_THRESHOLD,
    SKIP_NEXT_SPEAKER,
    DISABLE_LOOP_DETECTION,
    APPROVAL_MODE,
    MAX_ATTEMPTS,
    RETRY_FETCH_ERRORS,
    CONNECT_TIMEOUT,
    FIRST_BYTE_TIMEOUT,
    SILENCE_TIMEOUT,
    AUTH_TYPE,
    ENFORCED_AUTH_TYPE,
    FOLDER_TRUST,
    DISABLE_YOLO,
    SECURE_MODE,
    SANDBOX_WANTED,
    TOOL_SANDBOXING,
    EXCLUDED_ENV,
    IGNORE_LOCAL_ENV,
    CONTEXT_FILE_NAME,
    CONTEXT_MARKERS,
    INCLUDE_DIRECTORIES,
    CONTEXT_OF_INCLUDED,
    DIRECTORY_TREE,
    RESPECT_GIT_IGNORE,
    RESPECT_GEMINI_IGNORE,
    CUSTOM_IGNORE_FILES,
    HOOKS,
    HOOKS_ENABLED,
    PRICES,
]


def _others(state: State, why: str, keys: dict[str, tuple[Kind[Any], Any]]) -> list[AnySetting]:
    merges = {"tools.exclude": Merge.UNION, "mcpServers": Merge.SHALLOW}
    return [
        Setting(key, kind, default, why, merges.get(key, Merge.REPLACE), state) for key, (kind, default) in keys.items()
    ]


def _later(why: str, **keys: tuple[Kind[Any], Any]) -> list[AnySetting]:
    return _others(State.LATER, f"Comes with {why}.", {key.replace("__", "."): each for key, each in keys.items()})


def _inert(why: str, **keys: tuple[Kind[Any], Any]) -> list[AnySetting]:
    return _others(State.INERT, why, {key.replace("__", "."): each for key, each in keys.items()})


_YES, _NO = (BOOL, True), (BOOL, False)
_NONE = (TEXT, "")

_LATER: list[AnySetting] = [
    *_later(
        "the app",
        general__preferredEditor=_NONE,
        general__openEditorInNewWindow=_NO,
        general__vimMode=_NO,
        general__enablePromptCompletion=_NO,
        general__enableNotifications=_NO,
        general__notificationMethod=(choice("auto", "osc9", "osc777", "bell"), "auto"),
        general__topicUpdateNarration=_YES,
        ui__theme=_NONE,
        ui__autoThemeSwitching=_YES,
        ui__terminalBackgroundPollingInterval=(NUMBER, 60),
        ui__customThemes=(OBJECT, {}),
        ui__hideWindowTitle=_NO,
        ui__inlineThinkingMode=(choice("off", "full"), "off"),
        ui__showStatusInTitle=_NO,
        ui__dynamicWindowTitle=_YES,
        ui__showHomeDirectoryWarning=_YES,
        ui__showCompatibilityWarnings=_YES,
        ui__hideTips=_NO,
        ui__escapePastedAtSymbols=_NO,
        ui__showShortcutsHint=_YES,
        ui__compactToolOutput=_YES,
        ui__hideBanner=_NO,
        ui__hideContextSummary=_NO,
        ui__footer__items=(TEXTS, []),
        ui__footer__showLabels=_YES,
        ui__footer__hideCWD=_NO,
        ui__footer__hideSandboxStatus=_NO,
        ui__footer__hideModelInfo=_NO,
        ui__footer__hideContextPercentage=_YES,
        ui__hideFooter=_NO,
        ui__collapseDrawerDuringApproval=_YES,
        ui__showMemoryUsage=_NO,
        ui__showLineNumbers=_YES,
        ui__showCitations=_NO,
        ui__showModelInfoInChat=_NO,
        ui__showUserIdentity=_YES,
        ui__useBackgroundColor=_YES,
        ui__showSpinner=_YES,
        ui__loadingPhrases=(choice("tips", "witty", "all", "off"), "off"),
        ui__errorVerbosity=(choice("low", "full"), "low"),
        ui__customWittyPhrases=(TEXTS, []),
        ui__accessibility__screenReader=_NO,
        tools__shell__showColor=_YES,
        experimental__modelSteering=_NO,
        experimental__useOSC52Copy=_NO,
        experimental__useOSC52Paste=_NO,
    ),
    *_later(
        "models, context files and compression",
        model__summarizeToolOutput=(OBJECT, {}),
        model__chatCompression=(OBJECT, {}),
        context__importFormat=(choice("tree", "flat"), "tree"),
        context__discoveryMaxDirs=(INTEGER, 200),
        contextManagement=(OBJECT, {}),
    ),
    *_later(
        "the tools",
        general__plan__enabled=_YES,
        general__plan__directory=_NONE,
        general__plan__modelRouting=_YES,
        context__fileFiltering__enableFileWatcher=_NO,
        context__fileFiltering__enableRecursiveFileSearch=_YES,
        context__fileFiltering__enableFuzzySearch=_YES,
        tools__useRipgrep=_YES,
        tools__truncateToolOutputThreshold=(INTEGER, 40000),
        tools__disableLLMCorrection=_YES,
        tools__webFetch__allowedPrivateHosts=(TEXTS, []),
        useWriteTodos=_YES,
        experimental__directWebFetch=_NO,
        experimental__taskTracker=_NO,
    ),
    *_later(
        "the shell and policy",
        tools__sandboxAllowedPaths=(TEXTS, []),
        tools__sandboxNetworkAccess=_NO,
        tools__shell__enableInteractiveShell=_YES,
        tools__shell__backgroundCompletionBehavior=(choice("silent", "inject", "notify"), "silent"),
        tools__shell__pager=(TEXT, "cat"),
        tools__shell__inactivityTimeout=(NUMBER, 300),
        tools__shell__enableShellOutputEfficiency=_YES,
        tools__core=(TEXTS, []),
        tools__allowed=(TEXTS, []),
        tools__autoAccept=_NO,
        tools__confirmationRequired=(TEXTS, []),
        tools__exclude=(TEXTS, []),
        security__disableAlwaysAllow=_NO,
        security__enablePermanentToolApproval=_NO,
        security__autoAddToPolicyByDefault=_NO,
        security__environmentVariableRedaction__enabled=_NO,
        security__environmentVariableRedaction__allowed=(TEXTS, []),
        security__environmentVariableRedaction__blocked=(TEXTS, []),
        policyPaths=(TEXTS, []),
        adminPolicyPaths=(TEXTS, []),
    ),
    *_later(
        "sessions",
        general__checkpointing__enabled=_NO,
        general__sessionRetention__enabled=_YES,
        general__sessionRetention__maxAge=(TEXT, "30d"),
        general__sessionRetention__maxCount=(INTEGER, 0),
        general__sessionRetention__minRetention=(TEXT, "1d"),
    ),
    *_later(
        "MCP servers and discovered tools",
        mcp__serverCommand=_NONE,
        mcp__allowed=(TEXTS, []),
        mcp__excluded=(TEXTS, []),
        mcpServers=(OBJECT, {}),
        tools__discoveryCommand=_NONE,
        tools__callCommand=_NONE,
    ),
    *_later(
        "extensions, skills and subagents",
        security__blockGitExtensions=_NO,
        security__allowedExtensions=(TEXTS, []),
        agents__overrides=(OBJECT, {}),
        agents__browser=(OBJECT, {}),
        skills__enabled=_YES,
        skills__disabled=(TEXTS, []),
        hooksConfig__disabled=(TEXTS, []),
        hooksConfig__notifications=_YES,
        extensions=(OBJECT, {}),
        experimental__enableAgents=_YES,
        experimental__worktrees=_NO,
        experimental__extensionReloading=_NO,
        experimental__autoMemory=_NO,
    ),
]

_INERT: list[AnySetting] = [
    *_inert(
        "gemcli updates itself never; use the tool that installed it.",
        general__enableAutoUpdate=_YES,
        general__enableAutoUpdateNotification=_YES,
        general__disableAutoUpdate=_NO,
        general__disableUpdateNag=_NO,
    ),
    *_inert(
        "gemcli sends no usage statistics and no telemetry.",
        privacy__usageStatisticsEnabled=_NO,
        telemetry=(OBJECT, {}),
    ),
    *_inert(
        "It concerns the way the original is drawn or started.",
        general__devtools=_NO,
        general__debugKeystrokeLogging=_NO,
        ui__useAlternateBuffer=_NO,
        ui__renderProcess=_YES,
        ui__terminalBuffer=_NO,
        ui__incrementalRendering=_YES,
        advanced__autoConfigureMemory=_YES,
        advanced__dnsResolutionOrder=(TEXT, "ipv4first"),
    ),
    *_inert(
        "The feature is not planned.",
        ide__enabled=_NO,
        ide__hasSeenNudge=_NO,
        advanced__bugCommand=(OBJECT, {}),
        security__auth__useExternal=_NO,
        security__enableConseca=_NO,
        billing__overageStrategy=(choice("ask", "always", "never"), "ask"),
        experimental__contextManagement=_NO,
        experimental__generalistProfile=_NO,
        experimental__powerUserProfile=_NO,
        experimental__gemmaModelRouter=(OBJECT, {}),
        experimental__voiceMode=_NO,
        experimental__adk=(OBJECT, {}),
        experimental__dynamicModelConfiguration=_NO,
        extensions__workspacesWithMigrationNudge=(LIST, []),
    ),
]

CATALOGUE = sorted([*_HONOURED, *_LATER, *_INERT], key=lambda setting: setting.key)
BY_KEY = {setting.key: setting for setting in CATALOGUE}
