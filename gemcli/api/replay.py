"""Record and replay of the model's side of a run, as a file of lines.

The first line says what it is: {"recording": 1, "prompt": …}. Each other line is one answer of the service,
{"method": "stream" | "generate" | "count", "model": …, "chunks": [{"after": seconds, "data": …}], "error": …},
or what a tool said, {"tool": name, "output": …}. Gemini CLI's own lines, {"method": "generateContentStream",
"response": [ … ]}, are read as well. A recording is data: nothing in it is run, and calls in it pass the same
questions as any others.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from gemcli.api.model_client import ModelClient
from gemcli.clock import Clock
from gemcli.config.private import new_private_file
from gemcli.errors import ApiError, ApiErrorKind, InputError
from gemcli.redact import Redactor
from gemcli.wire import Content, GenerateRequest, StreamChunk

VERSION = 1
MAX_BYTES = 256 * 1024 * 1024
LONGEST = 10.0  # seconds between two chunks; whoever recorded a longer pause does not want it back
_METHODS = {"generateContentStream": "stream", "generateContent": "generate", "countTokens": "count"}


class Recorder:
    """A client that writes down what the one inside it says, without secrets."""

    def __init__(self, inside: ModelClient, path: Path, clock: Clock, redactor: Redactor) -> None:
        self._inside = inside
        self._path = path
        self._clock = clock
        self._redactor = redactor
        try:
            path.unlink(missing_ok=True)
            new_private_file(path, json.dumps({"recording": VERSION}).encode() + b"\n")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from error

    async def stream(self, request: GenerateRequest) -> AsyncGenerator[StreamChunk]:
        chunks: list[Any] = []
        last = self._clock.now()
        try:
            async with aclosing(self._inside.stream(request)) as arriving:
                async for chunk in arriving:
                    now = self._clock.now()
                    chunks.append({"after": round(now - last, 3), "data": chunk.to_json()})
                    last = now
                    yield chunk
        except ApiError as error:
            self._write("stream", request.model, chunks, error)
            raise
        except (GeneratorExit, asyncio.CancelledError):  # whoever listened had heard enough
            self._write("stream", request.model, chunks)
            raise
        self._write("stream", request.model, chunks)

    async def generate(self, request: GenerateRequest) -> StreamChunk:
        try:
            answer = await self._inside.generate(request)
        except ApiError as error:
            self._write("generate", request.model, [], error)
            raise
        self._write("generate", request.model, [{"after": 0, "data": answer.to_json()}])
        return answer

    async def count_tokens(self, model: str, contents: Iterable[Content]) -> int:
        total = await self._inside.count_tokens(model, contents)
        self._write("count", model, [{"after": 0, "data": {"totalTokens": total}}])
        return total

    async def aclose(self) -> None:
        await self._inside.aclose()

    def _write(self, method: str, model: str, chunks: list[Any], error: ApiError | None = None) -> None:
        line: dict[str, Any] = {"method": method, "model": model, "chunks": chunks}
        if error is not None:
            line["error"] = {
                "kind": error.kind,
                "reason": error.type,
                "status": error.status,
                "message": error.message,
                "retry_after": error.retry_after,
            }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self._redactor.value(line), ensure_ascii=False) + "\n")


@dataclass(slots=True)
class Recording:
    """What a file holds: the prompt it was made with, answers by method, and what tools said."""

    prompt: str = ""
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    tool_outputs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class Replayer:
    """Gives a recording's answers in order; `pace` 1 takes the time it took, 0 none."""

    def __init__(self, recording: Recording, clock: Clock, pace: float = 0.0) -> None:
        self._answers = {method: iter(lines) for method, lines in recording.answers.items()}
        self._clock = clock
        self._pace = pace

    async def stream(self, request: GenerateRequest) -> AsyncGenerator[StreamChunk]:
        line = self._next("stream")
        for after, data in _chunks(line):
            if self._pace and after > 0:
                await self._clock.sleep(min(after, LONGEST) * self._pace)
            yield _parsed(data)
        _raise(line, waits=bool(self._pace))

    async def generate(self, request: GenerateRequest) -> StreamChunk:
        line = self._next("generate")
        _raise(line, waits=bool(self._pace))
        found = [data for _, data in _chunks(line)]
        return _parsed(found[0] if found else None)

    async def count_tokens(self, model: str, contents: Iterable[Content]) -> int:
        found = [data for _, data in _chunks(self._next("count"))]
        counted = cast("dict[str, object]", found[0]) if found and isinstance(found[0], dict) else {}
        total = counted.get("totalTokens")
        return total if isinstance(total, int) else 0

    async def aclose(self) -> None:
        """There is nothing open."""

    def _next(self, method: str) -> dict[str, Any]:
        line = next(self._answers.get(method, iter(())), None)
        if line is None:
            raise ApiError(ApiErrorKind.REFUSED, "The recording has no further answer.", reason="RECORDING_ENDED")
        return line


def read_recording(path: Path, **names: str) -> Recording:
    """`names` fills in what a recording leaves open, such as ${WORKSPACE}. InputError names a line that is none."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is no file that could be a recording.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a recording: {error}.") from error
    recording = Recording()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        for name, value in names.items():
            line = line.replace("${" + name + "}", json.dumps(value)[1:-1])
        try:
            _add(recording, json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(f"{path}:{number}: this is no line of a recording ({error}).") from error
    return recording


def _add(recording: Recording, line: Any) -> None:
    if not isinstance(line, dict):
        raise TypeError("it is not an object")
    fields = cast("dict[str, Any]", line)
    if "recording" in fields:
        if fields["recording"] != VERSION:
            raise ValueError(f"version {fields['recording']} is not known here")
        recording.prompt = str(fields.get("prompt", ""))
    elif "tool" in fields:
        recording.tool_outputs.append((str(fields["tool"]), str(fields["output"])))
    else:
        method = str(fields["method"])
        method = _METHODS.get(method, method)
        if method not in _METHODS.values():
            raise ValueError(f"the method {method} is not known here")
        _check_answer(fields)
        recording.answers.setdefault(method, []).append(fields)


def _check_answer(fields: dict[str, Any]) -> None:
    """Times that are times, errors that are errors; what the chunks say is judged when they are played."""
    for after, _ in _chunks(fields):
        if not 0 <= after < float("inf"):
            raise ValueError("a pause that is none")
    error = fields.get("error")
    if error is not None:
        if not isinstance(error, dict):
            raise TypeError("an error that is no object")
        for name, kind in (("status", int), ("retry_after", int | float)):
            value = cast("dict[str, Any]", error).get(name)
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{name} is no number")


def _chunks(line: dict[str, Any]) -> Iterator[tuple[float, object]]:
    if "response" in line:  # Gemini CLI's form: the chunks without their times
        response = line["response"]
        for data in cast("list[object]", response) if isinstance(response, list) else [response]:
            yield 0.0, data
        return
    chunks = line.get("chunks")
    for chunk in cast("list[Any]", chunks) if isinstance(chunks, list) else []:
        if not isinstance(chunk, dict):
            raise TypeError("a chunk that is no object")
        entry = cast("dict[str, Any]", chunk)
        yield float(entry.get("after", 0)), entry.get("data")


def _parsed(data: object) -> StreamChunk:
    try:
        return StreamChunk.model_validate(data)
    except ValidationError as error:
        message = "The recording holds an answer of an unknown shape."
        raise ApiError(ApiErrorKind.REFUSED, message, reason="RECORDING_BROKEN") from error


def _raise(line: dict[str, Any], *, waits: bool) -> None:
    error = line.get("error")
    if isinstance(error, dict):
        fields = cast("dict[str, Any]", error)
        kind = fields.get("kind")
        known = ApiErrorKind(kind) if isinstance(kind, str) and kind in set(ApiErrorKind) else ApiErrorKind.REFUSED
        raise ApiError(
            known,
            str(fields.get("message", "")),
            reason=str(fields.get("reason", "")),
            status=fields.get("status"),
            retry_after=fields.get("retry_after") if waits else 0.0,
        )
