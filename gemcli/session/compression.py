"""Keeps a conversation inside the model's window: old results are shortened, then the older part becomes a summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gemcli.api.models import token_limit
from gemcli.errors import ApiError, InputError
from gemcli.events import ContentCommitted, Event, HistoryCompressed
from gemcli.session.history import History
from gemcli.session.opening import ACKNOWLEDGED
from gemcli.session.requests import Requests
from gemcli.session.side_call import SideCalls
from gemcli.session.tokens import Meter, estimate
from gemcli.wire import Content, FunctionResponse, Part, text_content

KEPT_SHARE = 0.3
WORTH_IT = 0.1  # the share of a conversation that must be old before it is summed up
LONG_RESULT = 4000  # characters of an old result; what is longer is shortened
_HEAD = _TAIL = 800
PATIENCE = 1.2  # after a failure the conversation must have grown so much before it is tried again
Emit = Callable[[Event], None]


def valid_start(content: Content) -> bool:
    """A history may begin again here: no response is cut from its call."""
    return content.role == "model" or not content.responses


def split_point(contents: Sequence[Content], sizes: Sequence[int], share: float = KEPT_SHARE) -> int:
    """From where on the newest `share` is kept; 0 when there is nowhere to cut."""
    left = sum(sizes) * share
    wanted = len(contents)
    while wanted > 0 and sizes[wanted - 1] <= left:
        wanted -= 1
        left -= sizes[wanted]
    starts = [index for index in range(1, len(contents)) if valid_start(contents[index])]
    later = [index for index in starts if index >= wanted]
    return (later or starts[-1:] or [0])[0]


def shortened(content: Content) -> Content | None:
    """With its long tool results cut in the middle; None when there is nothing to cut."""
    parts = [_shortened_part(part) for part in content.parts]
    if all(new is old for new, old in zip(parts, content.parts, strict=True)):
        return None
    return content.model_copy(update={"parts": parts})


def _shortened_part(part: Part) -> Part:
    response = part.function_response
    if response is None or not isinstance(response.response, dict):
        return part
    cut = {key: _cut(value) if isinstance(value, str) else value for key, value in response.response.items()}
    if cut == response.response:
        return part
    short: FunctionResponse = response.model_copy(update={"response": cut})
    return part.model_copy(update={"function_response": short})


def _cut(text: str) -> str:
    if len(text) <= LONG_RESULT:
        return text
    left_out = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]}\n[… {left_out} characters of this old result were left out to save room …]\n{text[-_TAIL:]}"


@dataclass(slots=True)
class Compressor:
    """Looks before each model call whether there is room. `keepsakes` gives what must survive word for word."""

    history: History
    requests: Requests
    side_calls: SideCalls
    meter: Meter
    threshold: float
    keepsakes: Callable[[], Sequence[str]]
    scene: str = ""
    request: Content | None = None  # what the user asked last
    _try_again_above: float = 0.0

    async def make_room(self, model: str, emit: Emit) -> None:
        """Compress when the threshold is passed; refuse what cannot be made to fit."""
        limit = token_limit(self.requests.resolved(model))
        if limit is None:
            return
        size = self._size()
        if size > limit or (size >= limit * self.threshold and size >= self._try_again_above):
            await self.compress(model, emit, enough=limit * self.threshold)
            size = self._size()
        if size > limit:
            size = await self._counted(model, size)
        if size > limit:
            raise InputError(
                f"The request needs about {size:,} tokens, and {self.requests.resolved(model)} takes {limit:,}.",
                "Give it less at once, or begin a new conversation.",
            )

    async def _counted(self, model: str, otherwise: int) -> int:
        """What the service counts; an estimate must not refuse what would have fitted."""
        try:
            counted = await self.side_calls.count(self.requests.resolved(model), self.history.contents)
            return counted + self.requests.fixed_size()
        except ApiError:
            return otherwise

    async def compress(self, model: str, emit: Emit, enough: float = 0.0) -> HistoryCompressed:
        """Now, whatever the size. When shortening old results brings it below `enough`, no summary is made."""
        before = self._size()
        keep_from = self._split()
        status = "nothing to compress"
        if keep_from > 0:
            is_enough = self._shorten(keep_from) and self._size() < enough
            status = "shortened" if is_enough else await self._summarise(model, emit)
        done = HistoryCompressed(before, self._size(), status)
        limit = token_limit(self.requests.resolved(model))
        is_enough = status in ("shortened", "compressed") and limit is not None and done.after < limit * self.threshold
        self._try_again_above = 0.0 if is_enough else max(before, done.after) * PATIENCE
        emit(done)
        return done

    def _size(self) -> int:
        return self.meter.next_request(self.history, self.requests.fixed_size())

    def _split(self) -> int:
        """From where on to keep; 0 when what could go is not worth a summary."""
        pairs = self.history.since(0)
        sizes = [estimate(entry.content, data) for entry, data in pairs]
        index = split_point([entry.content for entry, _ in pairs], sizes)
        return index if sum(sizes[:index]) > sum(sizes) * WORTH_IT else 0

    def _shorten(self, before: int) -> bool:
        changed = False
        for index, content in enumerate(self.history.contents[:before]):
            short = shortened(content)
            if short is not None:
                self.history.rewrite(index, short)
                changed = True
        if changed:
            self.meter.forget()
        return changed

    async def _summarise(self, model: str, emit: Emit) -> str:
        keep_from = self._split()
        contents = self.history.contents
        if keep_from <= 0:
            return "nothing to compress"
        request = self.requests.aside(model, _summary_contents(contents[:keep_from]), _text("compress"))
        try:
            answer = await self.side_calls.generate(request, "compress", emit)
        except ApiError:
            return "failed"
        candidate = answer.candidate
        if candidate is not None and candidate.finish_reason not in (None, "STOP"):
            return "failed"  # half a summary would lose the other half
        content = candidate.content if candidate is not None else None
        summary = content.text.strip() if content is not None else ""
        if not summary:
            return "empty summary"
        opening = self._opening(summary, contents[keep_from:])
        old = sum(len(data) for _, data in self.history.since(0)[:keep_from])
        if sum(len(each.to_bytes()) for each in opening) >= old:
            return "not smaller"
        for entry in self.history.replace_before(keep_from, opening):
            emit(ContentCommitted(entry.message_id, entry.content))
        self.meter.forget()
        return "compressed"

    def _opening(self, summary: str, kept: Sequence[Content]) -> list[Content]:
        """The scene and the summary in one message; an acknowledgement only where a user's message follows."""
        parts = [Part(text=self.scene)] if self.scene else []
        parts.append(Part(text=f"What happened before, in notes:\n{summary}"))
        if self.request is not None and not any(content is self.request for content in kept):
            parts += [Part(text="What the user asked last, word for word:"), *self.request.parts]
        parts += [Part(text=text) for text in self.keepsakes()]
        user = Content(role="user", parts=parts)
        return [user, text_content("model", ACKNOWLEDGED)] if kept[0].role == "user" else [user]


def _summary_contents(gone: Sequence[Content]) -> list[bytes]:
    """The older part with the request to sum it up, roles still alternating."""
    ask = Part(text=_text("compress_request"))
    *before, last = gone
    if last.role == "model":
        return [*(content.to_bytes() for content in gone), Content(role="user", parts=[ask]).to_bytes()]
    together = last.model_copy(update={"parts": [*last.parts, ask]})
    return [*(content.to_bytes() for content in before), together.to_bytes()]


def _text(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
