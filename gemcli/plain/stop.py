"""What ends a headless run from outside: a signal, or a reader that went away."""

import asyncio
import signal
from contextlib import suppress
from functools import partial

from gemcli.events import Failure
from gemcli.plain.streams import call_in_loop

INTERRUPTED, TERMINATED = 130, 143
CANCELLED = Failure("FatalCancellationError", "Operation cancelled.", exit_code=INTERRUPTED)
ENDED = Failure("Terminated", "Terminated.", exit_code=TERMINATED)


class Stop:
    """The first reason counts. `why` stays None when nobody reads any more: that is no error."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.happened = asyncio.Event()
        self.why: Failure | None = None
        for number, failure in ((signal.SIGINT, CANCELLED), (signal.SIGTERM, ENDED)):
            with suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
                self._loop.add_signal_handler(number, self._stop, failure)

    def from_thread(self) -> None:
        """Nobody reads standard output any more; said by the thread that writes it."""
        call_in_loop(self._loop, partial(self._stop, None))

    def _stop(self, why: Failure | None) -> None:
        if not self.happened.is_set():
            self.why = why
            self.happened.set()
