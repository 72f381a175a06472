"""The model service as three verbs: stream an answer, get an answer, count tokens."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from typing import cast

from pydantic import ValidationError

from gemcli.api.channel import MAX_ERROR_BODY, Channel, collect
from gemcli.api.onboarding import Onboarding
from gemcli.api.refusal import error_object, error_of, refusal_event
from gemcli.api.sse import SseError, SseReader
from gemcli.api.transport import CodeAssistTransport, Transport
from gemcli.errors import ApiError, ApiErrorKind
from gemcli.lenient_json import parse
from gemcli.wire import Content, GenerateRequest, Part, StreamChunk


class GeminiClient:
    """One attempt per call. Every failure is an ApiError (or an AuthError of the credentials)."""

    def __init__(self, channel: Channel, transport: Transport, onboarding: Onboarding | None = None) -> None:
        self._channel = channel
        self._transport = transport
        self._onboarding = onboarding

    async def stream(self, request: GenerateRequest) -> AsyncGenerator[StreamChunk]:
        transport = await self._ready()
        url = transport.url(request.model, "streamGenerateContent") + "?alt=sse"
        reader = SseReader()
        async with aclosing(self._channel.stream("POST", url, transport.body(request))) as pieces:
            try:
                async for piece in pieces:
                    for event in reader.feed(piece):
                        yield self._chunk(event)
                for event in reader.close():
                    yield self._chunk(event)
            except SseError as error:
                raise await self._foreign(error, pieces) from error

    async def generate(self, request: GenerateRequest) -> StreamChunk:
        transport = await self._ready()
        url = transport.url(request.model, "generateContent")
        return self._chunk(await self._channel.request("POST", url, transport.body(request)))

    async def count_tokens(self, model: str, contents: Iterable[Content]) -> int:
        transport = await self._ready()
        body = transport.count_body(model, [_countable(content) for content in contents])
        answer = self._value(await self._channel.request("POST", transport.url(model, "countTokens"), body))
        total = cast("dict[str, object]", answer).get("totalTokens") if isinstance(answer, dict) else None
        if not isinstance(total, int):
            raise _malformed("The service counted no tokens.")
        return total

    async def aclose(self) -> None:
        await self._channel.aclose()

    async def _ready(self) -> Transport:
        if self._onboarding is not None and isinstance(self._transport, CodeAssistTransport):
            self._transport = await self._onboarding.transport(self._transport)
            self._onboarding = None
        return self._transport

    def _value(self, data: bytes) -> object:
        try:
            value = parse(data)
        except ValueError as error:
            raise _malformed("The service sent an event that is not JSON.") from error
        inner = self._transport.unwrap(value)
        if error := error_of(value) or error_of(inner):
            raise refusal_event(self._channel.masked_value(error))
        return inner

    def _chunk(self, data: bytes) -> StreamChunk:
        try:
            return StreamChunk.model_validate(self._value(data))
        except (ValidationError, RecursionError) as error:
            raise _malformed("The service sent an event of an unknown shape.") from error

    async def _foreign(self, error: SseError, pieces: AsyncIterator[bytes]) -> ApiError:
        """What came is no event stream; if it is Google's error object without the frame, say that."""
        if error.seen[:1] in (b"{", b"["):
            body = error.seen + await collect(pieces, MAX_ERROR_BODY)
            if found := error_object(body):
                return refusal_event(self._channel.masked_value(found))
        page = " (a web page)" if error.seen.lstrip()[:1] == b"<" else ""
        return _malformed(f"The stream cannot be read: {error}{page}.")


def _malformed(message: str) -> ApiError:
    return ApiError(ApiErrorKind.STREAM, message, reason="MALFORMED_EVENT")


def _countable(content: Content) -> Content:
    """Thoughts are counted as the plain text they are; the service takes none back."""
    parts = [Part(text=part.text or "") if part.thought else part for part in content.parts]
    return content.model_copy(update={"parts": parts})
