"""What ends a headless run from outside: a signal, or a reader that went away."""

import asyncio
import errno
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

from gemcli.events import Failure
from gemcli.plain.streams import Pump, call_in_loop

INTERRUPTED, TERMINATED = 130, 143
CANCELLED = Failure("FatalCancellationError", "Operation cancelled.", exit_code=INTERRUPTED)
ENDED = Failure("Terminated", "Terminated.", exit_code=TERMINATED)
SIGNALS = {signal.SIGINT: CANCELLED, signal.SIGTERM: ENDED}
if hasattr(signal, "SIGHUP"):
    SIGNALS[signal.SIGHUP] = ENDED  # the terminal is gone: as good as being told to end
_GONE = {errno.EPIPE, errno.ECONNRESET}


class Stop:
    """The first reason counts. `why` stays None when nobody reads any more: that is no error."""

    def __init__(self, out: Pump) -> None:
        self._loop = asyncio.get_running_loop()
        self._out = out
        self.happened = asyncio.Event()
        self.why: Failure | None = None
        for number, failure in SIGNALS.items():
            if signal.getsignal(number) is signal.SIG_IGN:
                continue  # whoever started us wants it that way
            with suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
                self._loop.add_signal_handler(number, self._stop, failure)
        out.on_broken = lambda: call_in_loop(self._loop, self._on_broken)

    def _on_broken(self) -> None:
        self._stop(broken(self._out))

    def _stop(self, why: Failure | None) -> None:
        if not self.happened.is_set():
            self.why = why
            self.happened.set()


def broken(out: Pump) -> Failure | None:
    """Why standard output could not be written; nothing when its reader merely went away."""
    error = out.broken_by
    if error is None or error.errno in _GONE:
        return None
    return Failure("OutputError", f"Standard output cannot be written: {error.strerror}.")


class Stopped(BaseException):
    """A signal, where no event loop runs that could handle it."""

    def __init__(self, why: Failure) -> None:
        super().__init__()
        self.why = why


@contextmanager
def stoppable() -> Generator[None]:
    """Signals are exceptions wherever no event loop takes them, and nothing at all once the run is over."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped(SIGNALS[signal.Signals(number)])

    heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, stop)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_IGN)
