"""The command line's front door.

Start-up is felt, so nothing heavy is imported before it is known to be needed.
"""

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from gemcli import __version__
from gemcli.errors import GemError
from gemcli.options import Options, parse


def entry() -> NoReturn:
    """The program. It ends at once when it is done: a thread that still waits for a name server is left behind."""
    os._exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    argv = [os.fsencode(word).decode("utf-8", "replace") for word in sys.argv[1:]] if argv is None else argv
    try:
        options = parse(argv)
        if options.show_version:
            return say(1, f"{__version__}\n")
        if options.show_help:
            from gemcli.help import help_text

            return say(1, help_text())
        return run(options)
    except GemError as error:
        say(2, f"Error: {error.message}\n" + (f"{error.hint}\n" if error.hint else ""))
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def run(options: Options) -> int:
    """Signals that come while the rest is loaded wait until there is somebody to handle them."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    from gemcli.app import run as run_app

    return run_app(options, os.environ)


def say(fd: int, text: str) -> int:
    """Write it all, in UTF-8; that nobody reads it is no error. Gives the exit code 0."""
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        pass
    return 0
