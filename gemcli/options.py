"""What the command line asked for, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass

from gemcli.argv import Arguments, read_arguments
from gemcli.errors import InputError, UsageError
from gemcli.flags import FLAGS
from gemcli.kinds import ApprovalMode, OutputFormat


@dataclass(frozen=True, slots=True)
class Options:
    prompt: str | None = None
    words: tuple[str, ...] = ()
    model: str | None = None
    output_format: OutputFormat | None = None
    approval_mode: ApprovalMode | None = None
    skip_trust: bool = False
    show_version: bool = False
    show_help: bool = False


def parse(argv: Sequence[str]) -> Options:
    found = read_arguments(argv)
    if found.has("version") or found.has("help"):
        return Options(show_version=found.has("version"), show_help=True)
    _refuse_contradictions(found)
    _refuse_later(found)
    output_format = found.last("output-format")
    prompts = found.all("prompt")
    return Options(
        prompt="\n\n".join(prompts) if prompts else None,
        words=tuple(found.words),
        model=found.last("model"),
        output_format=OutputFormat(output_format) if output_format else None,
        approval_mode=_mode(found),
        skip_trust=found.has("skip-trust"),
    )


def _mode(found: Arguments) -> ApprovalMode | None:
    if found.has("yolo"):
        return ApprovalMode.YOLO
    mode = found.last("approval-mode")
    return ApprovalMode(mode) if mode else None


def _refuse_contradictions(found: Arguments) -> None:
    if found.has("yolo") and found.has("approval-mode"):
        raise UsageError("--yolo and --approval-mode exclude each other.", "Say --approval-mode=yolo alone.")


def _refuse_later(found: Arguments) -> None:
    for flag in FLAGS:
        if flag.later and found.has(flag.name):
            raise InputError(f"--{flag.name} is not here yet: {flag.later} will come with a later version.")
