"""What a session asks: the model service, or something that stands for it."""

from collections.abc import AsyncGenerator, Iterable
from typing import Protocol

from gemcli.wire import Content, GenerateRequest, StreamChunk


class ModelClient(Protocol):
    """One attempt per call; every failure is an ApiError (or an AuthError of the credentials)."""

    def stream(self, request: GenerateRequest) -> AsyncGenerator[StreamChunk]: ...

    async def generate(self, request: GenerateRequest) -> StreamChunk: ...

    async def count_tokens(self, model: str, contents: Iterable[Content]) -> int: ...

    async def aclose(self) -> None: ...
