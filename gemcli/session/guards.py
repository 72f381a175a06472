"""Limits that end a turn before its next step."""

from gemcli.errors import TurnLimitError


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
