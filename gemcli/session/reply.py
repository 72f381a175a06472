"""One answer of the model: put together from its chunks, then judged."""

import re
from collections.abc import Iterator

from gemcli.errors import ApiError, ApiErrorKind
from gemcli.events import Event, Notice, NoticeLevel, TextDelta, ThoughtDelta
from gemcli.session.parts import joined, real
from gemcli.wire import Part, StreamChunk, Usage

_SUBJECT = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_TRY_AGAIN = {
    "MALFORMED_FUNCTION_CALL": "The model wrote a tool call that cannot be read.",
    "UNEXPECTED_TOOL_CALL": "The model called a tool where none was allowed.",
}
_WHY = {
    "MAX_TOKENS": "The answer was cut: it reached the limit of output tokens.",
    "SAFETY": "The service stopped the answer for safety reasons.",
    "RECITATION": "The service stopped the answer because it repeats published text.",
    "LANGUAGE": "The service stopped the answer: its language is not supported.",
    "BLOCKLIST": "The service stopped the answer because of a forbidden term.",
    "PROHIBITED_CONTENT": "The service stopped the answer because of prohibited content.",
    "SPII": "The service stopped the answer because it may hold personal data.",
    "OTHER": "The service stopped the answer and gave no reason.",
}


class Reply:
    """Grows chunk by chunk; `parts` hold what is real (no thoughts), in the order it came."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.usage: Usage | None = None
        self.finish_reason: str | None = None
        self.finish_message = ""
        self.loop = ""  # set when the stream was cut because the model repeats itself
        self._block_reason: str | None = None
        self._thought = False

    def add(self, chunk: StreamChunk) -> Iterator[Event]:
        """Take in a chunk; gives what a person may see of it."""
        if chunk.usage_metadata is not None:
            self.usage = _later(self.usage, chunk.usage_metadata)
        feedback = chunk.prompt_feedback
        if feedback is not None and feedback.block_reason:
            self._block_reason = feedback.block_reason
            self.finish_message = feedback.block_reason_message or self.finish_message
        candidate = chunk.candidate
        if candidate is None:
            return
        for part in candidate.content.parts if candidate.content else []:
            yield from self._add_part(part)
        self.finish_reason = candidate.finish_reason or self.finish_reason
        self.finish_message = candidate.finish_message or self.finish_message

    def _add_part(self, part: Part) -> Iterator[Event]:
        if part.thought:
            self._thought = True
            yield thought_delta(part.text or "")
            return
        if part.function_response is not None:
            return  # only we answer calls; sent back, it would spoil the history
        self.parts.append(part)
        if part.text:
            yield TextDelta(part.text)

    @property
    def has_calls(self) -> bool:
        return any(part.function_call is not None for part in self.parts)

    @property
    def has_content(self) -> bool:
        """Anything besides calls that a person would call an answer."""
        return any(
            (part.text and part.text.strip()) or part.inline_data or part.file_data or part.executable_code
            for part in self.parts
        )

    def problem(self, answers_tools: bool) -> ApiError | None:
        """Why this is no answer, if it is none. The finish reason decides first."""
        if self._block_reason:
            said = self.finish_message or f"The service refused the prompt ({self._block_reason})."
            return ApiError(ApiErrorKind.BLOCKED_PROMPT, said, reason=self._block_reason)
        reason = self.finish_reason
        if reason is None:
            return (
                None
                if self.has_calls or self.loop
                else _invalid("NO_FINISH_REASON", "The answer ended before it was complete.")
            )
        if reason in _TRY_AGAIN:
            return _invalid(reason, _TRY_AGAIN[reason])
        if self.has_content or (self.has_calls and reason == "STOP"):
            return None
        if reason != "STOP":
            return ApiError(ApiErrorKind.BLOCKED, self._why(reason), reason=reason)
        if self._thought:
            return _invalid("THINKING_ONLY_RESPONSE", "The model thought and then gave no answer.")
        if answers_tools:
            return None  # nothing left to say after a tool's result is a normal end
        return _invalid("NO_RESPONSE_TEXT", "The model gave an empty answer.")

    def warning(self) -> Notice | None:
        """What the reader of a usable answer must know about its end."""
        reason = self.finish_reason
        if reason in (None, "STOP"):
            return None
        return Notice(NoticeLevel.WARNING, "finish_reason", f"{self._why(reason)} ({reason})")

    def spoken(self) -> list[Part]:
        """The part of an unfinished answer that may stay: what was said, no calls."""
        return joined(real(part for part in self.parts if part.function_call is None))

    def _why(self, reason: str) -> str:
        known = _WHY.get(reason, f"The service ended the answer with {reason}.")
        return f"{known} {self.finish_message}".rstrip()


def thought_delta(text: str) -> ThoughtDelta:
    """Thoughts open with their subject in bold; the rest is text."""
    found = _SUBJECT.search(text)
    if found is None:
        return ThoughtDelta("", text)
    return ThoughtDelta(found[1].strip(), (text[: found.start()] + text[found.end() :]).strip())


def _invalid(reason: str, message: str) -> ApiError:
    return ApiError(ApiErrorKind.STREAM, message, reason=reason)


def _later(earlier: Usage | None, later: Usage) -> Usage:
    """Counts are running totals; one that the later chunk leaves out still stands."""
    return later if earlier is None else earlier.model_copy(update=later.model_dump(exclude_none=True))
