"""The json format: one object when the run is over."""

import json
from typing import Any, assert_never

from gemcli.events import (
    ApiCallFinished,
    ContentCommitted,
    Event,
    Failure,
    HistoryCompressed,
    ModelSwitched,
    Notice,
    NoticeLevel,
    QuestionAsked,
    Retrying,
    TextDelta,
    ThoughtDelta,
    ToolCallChanged,
    TurnFinished,
    TurnStarted,
)
from gemcli.plain.output import Output, Run


class JsonOutput(Output):
    """`response` is the text of the last answer; an error goes to standard error, and standard output stays empty."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._text: list[str] = []
        self._response = ""
        self._warnings: list[str] = []

    def begin(self, model: str, prompt: str) -> None:
        pass

    def show(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._text.append(self.clean(text))
            case Retrying():
                self._text.clear()
            case ContentCommitted(_, content):
                if content.role == "model":
                    self._response = "".join(self._text) + self.rest()
                    self._text.clear()
            case Notice(level, _, text):
                if level is not NoticeLevel.INFO:
                    self._warnings.append(self.masked(text))
            case ModelSwitched(old, new, why):
                self._warnings.append(f"The model changes from {old} to {new} ({why}).")
            case TurnStarted() | ThoughtDelta() | QuestionAsked() | ApiCallFinished() | HistoryCompressed():
                pass
            case ToolCallChanged() | TurnFinished():
                pass
            case _:
                assert_never(event)

    def finish(self) -> None:
        stats = self.stats.to_json() | {"cost": self.run.cost.to_json()}
        answer: dict[str, Any] = {"session_id": self.run.session_id, "response": self._response, "stats": stats}
        if self._warnings:
            answer["warnings"] = self._warnings
        self.run.streams.out.write(_pretty(answer) + "\n")

    def fail(self, failure: Failure) -> None:
        self.run.streams.tell(_pretty(self.error_json(failure)))


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
