"""The stream-json format: one event per line, as it happens."""

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
    TextDisplay,
    ThoughtDelta,
    ToolCallChanged,
    ToolCallView,
    TurnFinished,
    TurnStarted,
)
from gemcli.kinds import CallStatus
from gemcli.plain.output import Output, Run


class StreamJsonOutput(Output):
    """`init` first, `result` last. A retry says with `discard` how many characters of the answer so far are void."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._said = 0  # characters of the attempt under way
        self._announced: set[str] = set()

    def begin(self, model: str, prompt: str) -> None:
        self._emit("init", session_id=self.run.session_id, model=model)
        self._emit("message", role="user", content=prompt)

    def show(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._say(self.clean(text))
            case ContentCommitted() | TurnStarted():
                self._say(self.rest())
                self._said = 0
            case Retrying(_, _, reason):
                self._emit("error", severity="warning", message=self.masked(reason), discard=self._said)
                self._said = 0
            case ToolCallChanged(call):
                self._show_call(call)
            case Notice(level, _, text):
                if level is not NoticeLevel.INFO:
                    self._emit("error", severity=level.value, message=self.masked(text))
            case ModelSwitched(old, new, why):
                self._emit("error", severity="warning", message=f"The model changes from {old} to {new} ({why}).")
            case ThoughtDelta() | QuestionAsked() | ApiCallFinished() | HistoryCompressed() | TurnFinished():
                pass
            case _:
                assert_never(event)

    def _say(self, content: str) -> None:
        if content:
            self._said += len(content)
            self._emit("message", role="assistant", content=content, delta=True)

    def _show_call(self, call: ToolCallView) -> None:
        if call.call_id not in self._announced:
            self._announced.add(call.call_id)
            self._emit("tool_use", tool_name=call.name, tool_id=call.call_id, parameters=dict(call.args))
        if call.status.is_final:
            self._announced.discard(call.call_id)
            self._emit("tool_result", **_result(call))

    def finish(self) -> None:
        self._end("success")

    def fail(self, failure: Failure) -> None:
        error = self.error_json(failure)["error"]
        error.pop("raw", None)  # the message before this one holds it
        self._end("error", error=error)
        self.tell_failure(failure)

    def _end(self, status: str, **more: Any) -> None:
        duration = self.run.clock.now() - self.started
        stats = self.stats.to_short_json(duration) | {"cost": self.run.cost.to_json()}
        self._emit("result", status=status, **more, stats=stats)

    def _emit(self, type: str, **fields: Any) -> None:
        event = {"type": type, "timestamp": self.now(), **fields}
        self.run.streams.out.write(json.dumps(event, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n")


def _result(call: ToolCallView) -> dict[str, Any]:
    result: dict[str, Any] = {"tool_id": call.call_id}
    if call.status is CallStatus.SUCCESS:
        result["status"] = "success"
        if isinstance(call.display, TextDisplay):
            result["output"] = call.display.text
        return result
    failure = call.error or Failure("cancelled", "The call was cancelled.")
    return result | {"status": "error", "error": {"type": failure.type, "message": failure.message}}
