"""What the command line asked for, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass

from gemcli.argv import Arguments, read_arguments, split_list
from gemcli.errors import InputError, UsageError
from gemcli.flags import FLAGS
from gemcli.kinds import ApprovalMode, OutputFormat, ToolMode


@dataclass(frozen=True, slots=True)
class Options:
    prompt: str | None = None
    words: tuple[str, ...] = ()
    model: str | None = None
    output_format: OutputFormat | None = None
    approval_mode: ApprovalMode | None = None
    include_directories: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tool_mode: ToolMode | None = None
    output_schema: str | None = None
    budget: float | None = None
    max_tokens: int | None = None
    max_turns: int | None = None
    record_responses: str | None = None
    fake_responses: str | None = None
    demo: bool = False
    sandbox: bool | None = None
    skip_trust: bool = False
    ignore_env: bool = False
    debug: bool = False
    raw_output: bool = False
    accept_raw_output_risk: bool = False
    show_version: bool = False
    show_help: bool = False


def parse(argv: Sequence[str]) -> Options:
    found = read_arguments(argv)
    if found.subcommand:
        raise InputError(f"The subcommand {found.subcommand} is not here yet.")
    if found.has("version") or found.has("help"):
        return Options(show_version=found.has("version"), show_help=True)
    _refuse_contradictions(found)
    _refuse_later(found)
    output_format = found.last("output-format")
    prompts = found.all("prompt")
    return Options(
        prompt="\n\n".join(prompts) if prompts else None,
        words=tuple(found.words),
        model=found.last("model") or None,
        output_format=OutputFormat(output_format) if output_format else None,
        approval_mode=_mode(found),
        include_directories=tuple(split_list(found.all("include-directories"))),
        tools=tuple(split_list(found.all("tools"))),
        tool_mode=ToolMode(tool_mode) if (tool_mode := found.last("tool-mode")) else None,
        output_schema=found.last("output-schema"),
        budget=_number(found, "budget"),
        max_tokens=_whole(found, "max-tokens"),
        max_turns=_whole(found, "max-turns"),
        record_responses=found.last("record-responses"),
        fake_responses=found.last("fake-responses") or found.last("fake-responses-non-strict"),
        demo=found.has("demo"),
        sandbox=found.switches.get("sandbox"),
        skip_trust=found.has("skip-trust"),
        ignore_env=found.has("ignore-env"),
        debug=found.has("debug"),
        raw_output=found.has("raw-output"),
        accept_raw_output_risk=found.has("accept-raw-output-risk"),
    )


def _number(found: Arguments, name: str) -> float | None:
    value = found.last(name)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise UsageError(f"--{name} needs a number above 0, not {value!r}.")
    return number


def _whole(found: Arguments, name: str) -> int | None:
    number = _number(found, name)
    if number is not None and not number.is_integer():
        raise UsageError(f"--{name} needs a whole number, not {found.last(name)!r}.")
    return None if number is None else int(number)


def _mode(found: Arguments) -> ApprovalMode | None:
    if found.has("yolo"):
        return ApprovalMode.YOLO
    mode = found.last("approval-mode")
    return ApprovalMode(mode) if mode else None


def _refuse_contradictions(found: Arguments) -> None:
    if found.has("yolo") and found.has("approval-mode"):
        raise UsageError("--yolo and --approval-mode exclude each other.", "Say --approval-mode=yolo alone.")
    others = ("prompt", "fake-responses", "record-responses", "output-schema", "sandbox", "budget")
    if found.has("demo") and (found.words or any(found.has(name) for name in others)):
        raise UsageError("--demo plays a recording, and nothing else can be asked of it.", "Say gemcli --demo alone.")
    for names in (
        ("prompt", "prompt-interactive"),
        ("record-responses", "fake-responses"),
        ("resume", "session-id", "session-file"),
    ):
        given = [f"--{name}" for name in names if found.has(name)]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} exclude each other.", "Use one of them.")


def _refuse_later(found: Arguments) -> None:
    for flag in FLAGS:
        if flag.later and found.has(flag.name):
            raise InputError(f"--{flag.name} is not here yet: {flag.later} will come with a later version.")
