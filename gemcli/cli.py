"""The command line's front door.

Start-up is felt, so nothing heavy is imported before it is known to be needed.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from gemcli import __version__
from gemcli.errors import GemError
from gemcli.options import parse


def main(argv: Sequence[str] | None = None) -> int:
    argv = [as_utf8(word) for word in sys.argv[1:]] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = parse(argv)
        if options.show_version:
            print(__version__)
            return 0
        if options.show_help:
            from gemcli.help import help_text

            print(help_text(), end="")
            return 0
        from gemcli.app import run

        return run(options, os.environ)
    except GemError as error:
        return report(error)
    except KeyboardInterrupt:
        return 130


def as_utf8(word: str) -> str:
    """A word of the command line as UTF-8, whatever locale the interpreter thinks it has."""
    return os.fsencode(word).decode("utf-8", "replace")


def report(error: GemError) -> int:
    """Say what went wrong and what to do; gives the exit code."""
    print(f"Error: {error.message}", file=sys.stderr)
    if error.hint:
        print(error.hint, file=sys.stderr)
    return error.exit_code
