"""Standard output and error of a program that scripts rely on: whole, in UTF-8, and never in the way of Ctrl-C."""

import asyncio
import os
import queue
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial


class Pump(threading.Thread):
    """Writes to a file descriptor in a thread of its own: a reader that is slow or stuck blocks nobody else."""

    def __init__(self, fd: int, on_broken: Callable[[], None] | None = None) -> None:
        super().__init__(daemon=True, name=f"pump-{fd}")
        self._fd = fd
        self._queue: queue.SimpleQueue[bytes | Callable[[], object] | None] = queue.SimpleQueue()
        self.on_broken = on_broken
        self.broken_by: OSError | None = None
        self.start()

    def write(self, text: str) -> None:
        if text:
            self._queue.put(text.encode("utf-8", "replace"))

    def call_when_written(self, callback: Callable[[], object]) -> None:
        """Called in the pump's thread when everything so far has been written."""
        self._queue.put(callback)

    def close(self, seconds: float | None = None) -> bool:
        """Wait until all is written, at most so long; gives whether it was."""
        self._queue.put(None)
        self.join(seconds)
        return not self.is_alive()

    def run(self) -> None:
        while (data := self._queue.get()) is not None:
            if callable(data):
                data()
            elif self.broken_by is None:
                self._write(data)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                try:
                    view = view[os.write(self._fd, view) :]
                except BlockingIOError:  # somebody who shares the descriptor made it non-blocking
                    select.select([], [self._fd], [])
        except OSError as error:
            self.broken_by = error
            if self.on_broken is not None:
                self.on_broken()


class Streams:
    """`out` carries the declared format and nothing else; everything said to people goes to `err`."""

    def __init__(self) -> None:
        self.out = Pump(1)
        # Where both go to the same place, what is said first must appear first.
        self.err = self.out if _same_file(1, 2) else Pump(2)

    def tell(self, line: str) -> None:
        self.err.write(line + "\n")

    async def drained(self) -> None:
        """Until everything has been written."""
        loop = asyncio.get_running_loop()
        for pump in (self.out, self.err):
            written = asyncio.Event()
            pump.call_when_written(partial(call_in_loop, loop, written.set))
            await written.wait()

    def close(self, seconds: float | None = None) -> None:
        """Wait until all is written, at most so long for both together."""
        end = None if seconds is None else time.monotonic() + seconds
        for pump in (self.out, self.err):
            pump.close(None if end is None else max(0.0, end - time.monotonic()))


def call_in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    """From another thread; when the loop has ended already there is nobody left to tell."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)


def _same_file(one: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def fill_closed() -> None:
    """Give closed standard descriptors something harmless, so that no socket is opened in their place."""
    for fd in (0, 1, 2):
        if not is_open(fd):
            os.dup2(os.open(os.devnull, os.O_RDWR), fd)
