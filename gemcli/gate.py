"""What must not begin: no sandbox where one is wanted, no folder that nobody trusts, no mode that is forbidden."""

from typing import cast

from gemcli.config.catalogue import DISABLE_YOLO, SANDBOX_WANTED, SECURE_MODE, TOOL_SANDBOXING
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings
from gemcli.errors import ConfigError, SandboxError, UntrustedError
from gemcli.kinds import ApprovalMode
from gemcli.options import Options

SHOWN = 10  # names of things in an untrusted folder


def refuse(options: Options, around: Surroundings) -> None:
    _refuse_without_sandbox(around.settings)
    _refuse_untrusted(around)
    if options.approval_mode is ApprovalMode.YOLO:
        _refuse_yolo(around.settings)


def _refuse_without_sandbox(settings: Settings) -> None:
    for setting in (SANDBOX_WANTED, TOOL_SANDBOXING):
        wanted = settings.told(setting)
        if _is_wanted(wanted.value):
            raise SandboxError(
                f"A sandbox was asked for (by {', '.join(wanted.sources)}), and this version of gemcli has none.",
                "Nothing was run. To go without: --no-sandbox, or change the setting.",
            )


def _refuse_untrusted(around: Surroundings) -> None:
    found = around.untrusted
    if not found:
        return
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise UntrustedError(
        f"This folder is not trusted, and gemcli would read: {', '.join(found[:SHOWN])}{more}.",
        f"Look at them. To trust the folder for this run, say --skip-trust; for good, add "
        f'"{around.paths.project}": "TRUST_FOLDER" to {around.paths.trusted_folders}.',
    )


def _refuse_yolo(settings: Settings) -> None:
    for setting in (DISABLE_YOLO, SECURE_MODE):
        if settings.get(setting):
            by = ", ".join(settings.told(setting).sources)
            raise ConfigError(f"The yolo mode is switched off by {setting.key} ({by}).")


def _is_wanted(sandbox: object) -> bool:
    """A switch, a command, or an object that may switch itself off."""
    if isinstance(sandbox, dict):
        fields = cast("dict[str, object]", sandbox)
        return bool(fields) and fields.get("enabled") is not False
    return sandbox not in (False, "", "false", "0")
