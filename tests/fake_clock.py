"""A clock that tests set: nobody waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class FakeClock:
    """Sleeping takes no time (`instant`), or lasts until `advance` has passed its end."""

    def __init__(self, *, instant: bool = True) -> None:
        self.instant = instant
        self.time = 0.0
        self.slept: list[float] = []
        self.begun = 0  # how many timeouts have been begun so far
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._timeouts: list[tuple[float, asyncio.Timeout]] = []

    def now(self) -> float:
        return self.time

    def today(self) -> datetime:
        return START + timedelta(seconds=self.time)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self.instant:
            self.time += seconds
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, future))
        await future

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        return self._timeout(seconds)

    @asynccontextmanager
    async def _timeout(self, seconds: float) -> AsyncIterator[None]:
        async with asyncio.timeout(0 if seconds <= 0 else None) as inner:
            self.begun += 1
            entry = (self.time + seconds, inner)
            self._timeouts.append(entry)
            try:
                yield
            finally:
                self._timeouts.remove(entry)

    @property
    def waiting(self) -> int:
        """How many timeouts run at this moment."""
        return len(self._timeouts)

    @property
    def sleeping(self) -> int:
        return sum(not future.done() for _, future in self._sleepers)

    def advance(self, seconds: float) -> None:
        self.time += seconds
        for end, future in self._sleepers:
            if end <= self.time and not future.done():
                future.set_result(None)
        for end, timeout in list(self._timeouts):
            if end <= self.time:
                timeout.reschedule(asyncio.get_running_loop().time())
