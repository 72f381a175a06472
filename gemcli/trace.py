"""The debug log: what is sent, tried again and set, for whoever asks with --debug. Never a secret."""

from collections.abc import Callable
from pathlib import Path

from gemcli.redact import Redactor

SHOWN = 2000  # characters of one entry on the screen; the file has it whole


class Trace:
    """Off until it is given somewhere to write."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._tell: Callable[[str], None] | None = None
        self._file: Path | None = None

    @property
    def is_on(self) -> bool:
        return self._tell is not None

    def turn_on(self, tell: Callable[[str], None], file: Path | None) -> None:
        """From now on entries go to `tell`, and to the end of this file."""
        self._tell = tell
        self._file = file

    def __call__(self, entry: str) -> None:
        if self._tell is None:
            return
        entry = self.redactor(entry)
        cut = "" if len(entry) <= SHOWN else f" … ({len(entry) - SHOWN} more characters in the log file)"
        self._tell(f"[DEBUG] {entry[:SHOWN]}{cut}")
        self._write(entry)

    def note(self, line: str) -> None:
        """For the file only: the person has heard it already."""
        self._write(self.redactor(line))

    def _write(self, entry: str) -> None:
        if self._file is not None:
            try:
                with self._file.open("a", encoding="utf-8", errors="replace") as file:
                    file.write(entry + "\n")
            except OSError:
                self._file = None  # a full disk ends the log, not the run
