"""Notices when the model goes round in circles: the same calls with the same results, the same words again."""

import json
import re
from collections.abc import Sequence

from gemcli.scheduler.call import ToolCall
from gemcli.wire import Part

REPEATS = 5  # of a call, or of a cycle of calls
LONGEST_CYCLE = 5
CHUNK, TIMES, DISTANCE = 50, 10, 250  # characters of a repeated text, how often, how far apart on average
_WINDOW = TIMES * DISTANCE + CHUNK
LONGEST_PERIOD = 4000  # characters of a passage that is repeated word for word
# Lists, tables, headings, quotes, rules and JSON repeat themselves by nature.
_STRUCTURE = re.compile(r"\s*(?:[\[\]{}\"]|[-*+]\s|\d+[.)]\s|\||#{1,6}\s|>|[-=_*~+|]{3,}\s*$)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


class LoopDetector:
    """Watches one prompt's turn. `calls` and `said` give a description when a loop is found, else nothing."""

    def __init__(self, *, is_on: bool = True) -> None:
        self.is_on = is_on
        self._keys: list[int] = []
        self._text = TextLoops()

    def start(self) -> None:
        self._keys.clear()
        self._text = TextLoops()

    def called(self, calls: Sequence[ToolCall], responses: Sequence[Part]) -> str:
        """After a batch has run: what was called, and what came of it."""
        self._text = TextLoops()  # the same words before other calls are no loop
        if not self.is_on:
            return ""
        for call, response in zip(calls, responses, strict=True):
            result = response.function_response.response if response.function_response is not None else None
            self._keys.append(hash((call.name, json.dumps(dict(call.args), sort_keys=True), json.dumps(result))))
        del self._keys[: -REPEATS * LONGEST_CYCLE]
        for length in range(1, LONGEST_CYCLE + 1):
            recent = self._keys[-length * REPEATS :]
            if len(recent) == length * REPEATS and recent == recent[:length] * REPEATS:
                self._keys.clear()
                what = f'"{calls[-1].name}" was called' if length == 1 else f"a cycle of {length} calls was made"
                return f"{what} {REPEATS} times with the same arguments and the same result"
        return ""

    def start_attempt(self) -> None:
        """What was said in an attempt that is withdrawn does not count."""
        self._text = TextLoops()

    def said(self, text: str) -> str:
        """After some words of the model."""
        if not self.is_on or not self._text.add(text):
            return ""
        self._text = TextLoops()
        return f"the same words came {TIMES} times"


class TextLoops:
    """Keeps a window of the prose; code, tables, lists and other structure empty it."""

    def __init__(self) -> None:
        self._window = ""
        self._line = ""
        self._fence = ""  # what opened the code we are in

    def add(self, text: str) -> bool:
        for piece in text.splitlines(keepends=True):
            self._line += piece
            if not self._fence:
                self._window = (self._window + piece)[-TIMES * LONGEST_PERIOD :]
            if piece.endswith("\n"):
                self._end_line()
        return self._is_loop()

    def _end_line(self) -> None:
        fence = _FENCE.match(self._line)
        if fence and (not self._fence or fence[1].startswith(self._fence)):
            self._fence = "" if self._fence else fence[1]
            self._window = ""
        elif _STRUCTURE.match(self._line):
            self._window = ""
        self._line = ""

    def _is_loop(self) -> bool:
        if self._fence or len(self._window) < CHUNK or _STRUCTURE.match(self._line) or _FENCE.match(self._line):
            return False
        chunk = self._window[-CHUNK:]
        return self._window.count(chunk, -_WINDOW) >= TIMES or self._is_periodic(chunk)

    def _is_periodic(self, chunk: str) -> bool:
        """A longer passage again and again, word for word."""
        end = len(self._window)
        period = end - CHUNK - self._window.rfind(chunk, max(0, end - LONGEST_PERIOD - CHUNK), end - 1)
        if not CHUNK < period <= LONGEST_PERIOD or end < period * TIMES:
            return False
        return self._window[-period * TIMES :] == self._window[-period:] * TIMES
