"""The text of --help."""

from textwrap import wrap

from gemcli.exit_codes import EXIT_CODES
from gemcli.flags import SECTIONS, Flag

WIDTH, COLUMN = 100, 32
HEAD = """gemcli: an open coding agent for the terminal that speaks Gemini's wire format

usage: gemcli [FLAGS] [PROMPT ...]"""
TAIL = """examples:
  gemcli -p "What does this error mean?"
  git diff | gemcli -p "Write a commit message for this change"
  gemcli -p "List three risks" -o json | jq -r .response"""


def help_text() -> str:
    sections = (
        f"{name}:\n" + "\n".join(_line(flag) for flag in flags if not flag.hidden) for name, flags in SECTIONS.items()
    )
    codes = "exit codes:\n" + "\n".join(f"  {code:>3}  {means}" for code, means in EXIT_CODES.items())
    return "\n\n".join((HEAD, *sections, codes, TAIL)) + "\n"


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
