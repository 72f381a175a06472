"""The text of --help."""

from textwrap import wrap

from gemcli.flags import SECTIONS, Flag

WIDTH, COLUMN = 100, 32
HEAD = """gemcli: an open coding agent for the terminal that speaks Gemini's wire format

usage: gemcli [FLAGS] [PROMPT ...]"""
TAIL = """exit codes:
  0 done   1 failed, or wrong arguments   41 not authenticated   42 no usable input
  44 no sandbox   52 unusable configuration   53 turn limit   54 tool failure
  55 folder not trusted   56 budget spent   130 interrupted (Ctrl-C)   143 terminated

examples:
  gemcli -p "What does this error mean?"
  git diff | gemcli -p "Write a commit message for this change"
  gemcli -p "List three risks" -o json | jq -r .response"""


def help_text() -> str:
    sections = (
        f"{name}:\n" + "\n".join(_line(flag) for flag in flags if not flag.hidden) for name, flags in SECTIONS.items()
    )
    return "\n\n".join((HEAD, *sections, TAIL)) + "\n"


def _line(flag: Flag) -> str:
    short = f"-{flag.short}, " if flag.short else "    "
    left = f"  {short}--{flag.name} {flag.value}".rstrip()
    said = flag.help
    if flag.choices:
        said += f": {', '.join(flag.choices)}"
    if flag.later:
        said += " (not here yet)"
    lines = wrap(said, WIDTH - COLUMN)
    first = f"{left:{COLUMN - 2}}  {lines[0]}" if len(left) <= COLUMN - 2 else f"{left}\n{'':{COLUMN}}{lines[0]}"
    return "\n".join([first, *(f"{'':{COLUMN}}{line}" for line in lines[1:])])
