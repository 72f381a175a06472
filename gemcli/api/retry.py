"""How often and after what wait a failed model call is tried again."""

from collections.abc import Callable
from dataclasses import dataclass

from gemcli.errors import ApiError, ApiErrorKind


@dataclass(frozen=True, slots=True)
class Schedule:
    """Waits double from `first` to `longest`; each is spread by ± `jitter` of itself."""

    attempts: int
    first: float
    longest: float
    jitter: float

    def wait(self, failures: int, spread: float) -> float:
        """The wait after this many failures; `spread` lies between -1 and 1."""
        return min(self.longest, self.first * 2 ** (failures - 1)) * (1 + self.jitter * spread)


NO_ANSWER = Schedule(attempts=10, first=5.0, longest=30.0, jitter=0.3)
BAD_ANSWER = Schedule(attempts=4, first=1.0, longest=4.0, jitter=0.0)

_SCHEDULE_OF = {
    ApiErrorKind.NETWORK: NO_ANSWER,
    ApiErrorKind.SERVER: NO_ANSWER,
    ApiErrorKind.RATE_LIMIT: NO_ANSWER,
    ApiErrorKind.STREAM: BAD_ANSWER,
}


class Retries:
    """Counts the failures of one model call and says how long to wait before the next attempt."""

    def __init__(
        self, random: Callable[[], float], max_attempts: int = NO_ANSWER.attempts, retries_network: bool = True
    ) -> None:
        self._random = random
        self._max = max_attempts
        self._given_up = frozenset[ApiErrorKind]() if retries_network else frozenset({ApiErrorKind.NETWORK})
        self._failures: dict[Schedule, int] = {}

    @property
    def failures(self) -> int:
        return sum(self._failures.values())

    def wait_after(self, error: ApiError) -> float | None:
        """Seconds until the next attempt; None when there is none."""
        schedule = _SCHEDULE_OF.get(error.kind)
        if schedule is None or error.kind in self._given_up:
            return None
        failures = self._failures[schedule] = self._failures.get(schedule, 0) + 1
        if failures >= min(schedule.attempts, self._max):
            return None
        if error.retry_after is not None:
            return error.retry_after
        return schedule.wait(failures, 2 * self._random() - 1)
