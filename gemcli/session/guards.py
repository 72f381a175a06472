"""Limits that end a turn before its next step."""

from collections.abc import Callable
from dataclasses import dataclass

from gemcli.errors import BudgetError, TurnLimitError
from gemcli.events import ApiCallFinished, Event, Notice, NoticeLevel
from gemcli.session.cost import Cost
from gemcli.wire import Usage

NEAR = 0.8  # of a limit; from here on it is said


def _total(usage: Usage) -> int:
    """All tokens; where the service gives no sum, the sum of its counts."""
    counts = (
        usage.prompt_token_count,
        usage.candidates_token_count,
        usage.thoughts_token_count,
        usage.tool_use_prompt_token_count,
    )
    return usage.total_token_count or sum(count or 0 for count in counts)


class CallLimit:
    """How many times a session may ask the model; below zero there is no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls = 0

    def step(self) -> None:
        if 0 <= self._most <= self._calls:
            raise TurnLimitError(
                f"The session has reached its limit of {self._most} turns.",
                "Raise model.maxSessionTurns in settings.json to go on.",
            )
        self._calls += 1


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a session may use; None is no limit."""

    usd: float | None = None
    tokens: int | None = None
    turns: int | None = None


class Budget:
    """Counts every model call, side calls too. Nothing is asked once a limit is reached; nearing it is said once."""

    def __init__(self, allowance: Allowance, cost: Cost) -> None:
        self._allowance = allowance
        self._cost = cost
        self._tokens = 0
        self._turns = 0
        self._told: set[str] = set()

    def add(self, event: Event) -> None:
        self._cost.add(event)
        if isinstance(event, ApiCallFinished):
            self._turns += event.role == "main" and event.error is None
            if event.usage is not None:
                self._tokens += _total(event.usage)

    def check(self, emit: Callable[[Event], None]) -> None:
        """Before a call."""
        may = self._allowance
        self._check("--budget", self._cost.usd, may.usd, "${:,.4f}", emit)
        self._check("--max-tokens", self._tokens, may.tokens, "{:,} tokens", emit)
        self._check("--max-turns", self._turns, may.turns, "{:,} turns", emit)

    def _check(self, flag: str, used: float, most: float | None, form: str, emit: Callable[[Event], None]) -> None:
        if most is None:
            return
        if used >= most:
            raise BudgetError(f"The budget is spent: {form.format(used)} of {form.format(most)} ({flag}).")
        is_near = used >= most * NEAR or (flag == "--max-turns" and 0 < used == most - 1)
        if is_near and flag not in self._told:
            self._told.add(flag)
            text = f"The budget is nearly spent: {form.format(used)} of {form.format(most)} ({flag})."
            emit(Notice(NoticeLevel.WARNING, "budget", text))
