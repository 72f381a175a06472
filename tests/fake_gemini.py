"""Google's side of the wire, on 127.0.0.1: the one double that stands for the model service.

    fake = FakeGemini(turn(thought("Planning"), text("I will "), call("replace", path="a.py")), turn(text("Done.")))
    with fake: ...                       # fake.url is the base URL; fake.requests is what came

It runs in a thread of its own, so in-process sessions and spawned programs talk to the same thing over real HTTP.
Answers are given in order. A request that is no valid conversation is remembered in `violations` and fails the test
when the `with` block ends.
"""

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Json = dict[str, Any]
_JSON = {"Content-Type": "application/json"}

# --- what the model says -------------------------------------------------------------------


def text(value: str, signature: str | None = None) -> Json:
    return _signed({"text": value}, signature)


def thought(subject: str, body: str = "") -> Json:
    return {"text": f"**{subject}**\n\n{body}", "thought": True}


def call(name: str, /, id: str | None = None, signature: str | None = None, **args: Any) -> Json:
    function: Json = {"name": name, "args": args}
    return _signed({"functionCall": function | ({"id": id} if id else {})}, signature)


def raw_call(function: Json) -> Json:
    return {"functionCall": function}


def _signed(part: Json, signature: str | None) -> Json:
    return part | ({"thoughtSignature": signature} if signature else {})


def usage(prompt: int = 10, output: int = 5, thoughts: int = 0, cached: int = 0, tool: int = 0) -> Json:
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": output,
        "totalTokenCount": prompt + output + thoughts + tool,
        **({"thoughtsTokenCount": thoughts} if thoughts else {}),
        **({"cachedContentTokenCount": cached} if cached else {}),
        **({"toolUsePromptTokenCount": tool} if tool else {}),
    }


def chunk(*parts: Json, finish: str | None = None, use: Json | None = None, message: str | None = None) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    candidate |= {"finishReason": finish} if finish else {}
    candidate |= {"finishMessage": message} if message else {}
    return {"candidates": [candidate | {"index": 0}]} | ({"usageMetadata": use} if use else {})


# --- how the service says it ---------------------------------------------------------------


@dataclass
class Reply:
    """Chunks as server-sent events, or a whole body, with any fault on the way."""

    chunks: list[Any] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    eol: str = "\r\n"
    split: Callable[[bytes], Iterable[bytes]] | None = None
    cut_after: int | None = None  # reset the connection after so many events
    hold_after: int | None = None  # say no more after so many events, until `release`
    release: threading.Event = field(default_factory=threading.Event)
    sent: threading.Event = field(default_factory=threading.Event)  # set when all events have gone out
    drop_before: bool = False  # close before any answer
    wait_before: threading.Event | None = None


def turn(
    *parts: Json, finish: str | None = "STOP", use: Json | None = None, message: str | None = None, **how: Any
) -> Reply:
    """An answer: one chunk per part, the last with the finish reason and the usage."""
    use = usage() if use is None else use
    if not parts:
        return Reply([chunk(finish=finish, use=use, message=message)], **how)
    chunks = [chunk(part) for part in parts[:-1]]
    return Reply([*chunks, chunk(parts[-1], finish=finish, use=use, message=message)], **how)


def says(*chunks: Any, **how: Any) -> Reply:
    """Exactly these events; bytes go out as they are."""
    return Reply(list(chunks), **how)


def cut_after(events: int, *parts: Json) -> Reply:
    return Reply([chunk(part) for part in parts], cut_after=events)


def stalls(*parts: Json) -> Reply:
    """These parts, then silence until `release` is set or the client goes away."""
    return Reply([chunk(part) for part in parts], hold_after=len(parts))


def drops() -> Reply:
    return Reply(drop_before=True)


def fails(
    status: int,
    message: str = "mock refusal",
    *,
    name: str = "",
    retry_after: str | None = None,
    retry_delay: str | None = None,
    quota_id: str | None = None,
    reason: str | None = None,
) -> Reply:
    """Google's error body."""
    details: list[Json] = []
    if reason:
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason})
    if quota_id:
        details.append({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]})
    if retry_delay:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry_delay})
    error: Json = {"code": status, "message": message, "status": name or _NAMES.get(status, "UNKNOWN")}
    body = json.dumps({"error": error | ({"details": details} if details else {})}).encode()
    headers = {"Content-Type": "application/json"} | ({"Retry-After": retry_after} if retry_after else {})
    return Reply(status=status, body=body, headers=headers)


def page(status: int, html: str = "<!DOCTYPE html><html><title>Bad gateway</title></html>") -> Reply:
    return Reply(status=status, body=html.encode(), headers={"Content-Type": "text/html"})


def json_body(value: Any, status: int = 200) -> Reply:
    return Reply(status=status, body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}

# --- what came ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]  # names in lower case
    raw: bytes

    @property
    def body(self) -> Json:
        return json.loads(self.raw) if self.raw else {}

    @property
    def inner(self) -> Json:
        """The Gemini request, out of the Code Assist envelope."""
        return self.body.get("request", self.body)

    @property
    def contents(self) -> list[Json]:
        return self.inner["contents"]

    @property
    def last(self) -> Json:
        return self.contents[-1]

    @property
    def responses(self) -> list[Json]:
        return [part["functionResponse"] for part in self.last["parts"] if "functionResponse" in part]

    @property
    def is_generate(self) -> bool:
        return self.path.endswith((":streamGenerateContent", ":generateContent"))


class FakeGemini:
    def __init__(
        self, *replies: Reply, last_repeats: bool = False, tls: ssl.SSLContext | None = None, **endpoints: Any
    ) -> None:
        """`endpoints` answers Code Assist methods and other paths by name: a value, or a list used up in order."""
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.violations: list[str] = []
        self.gone = threading.Event()  # a client went away in the middle of an answer
        self._last_repeats = last_repeats
        self._tls = tls
        self._endpoints: dict[str, Any] = endpoints
        self._news = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._up = threading.Event()
        self.port = 0

    # -- life ------------------------------------------------------------------------------
    def __enter__(self) -> "FakeGemini":
        self._thread.start()
        self._up.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for reply in self.replies:
            reply.release.set()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        if kind is None and self.violations:
            raise AssertionError(f"invalid conversation sent: {self.violations}")

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def generated(self) -> list[Request]:
        return [request for request in self.requests if request.is_generate]

    def wait_for(self, count: int, seconds: float = 8) -> None:
        """Until so many generate requests have come."""
        with self._news:
            if not self._news.wait_for(lambda: len(self.generated) >= count, seconds):
                raise AssertionError(f"{len(self.generated)} requests instead of {count}")

    async def seen(self, count: int) -> None:
        await asyncio.to_thread(self.wait_for, count)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._client, "127.0.0.1", 0, limit=1 << 22, ssl=self._tls)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._up.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    # -- one connection ---------------------------------------------------------------------
    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            while (request := await _read_request(reader)) is not None:
                with self._news:
                    self.requests.append(request)
                    self._news.notify_all()
                await self._answer(request, reader, writer)
        with suppress(Exception):
            writer.close()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not request.is_generate:
            await _send(writer, 200, json.dumps(self._endpoint(request)).encode(), _JSON)
            return
        self.violations += violations(request.inner)
        index = len(self.generated) - 1
        if index < len(self.replies):
            reply = self.replies[index]
        elif self._last_repeats:
            reply = self.replies[-1]
        else:
            reply = fails(400, f"the fake has no reply for request {index + 1}")
        await self._reply(reply, request.query.get("alt") == "sse", reader, writer)

    def _endpoint(self, request: Request) -> Any:
        name = request.path.rpartition(":")[2] if ":" in request.path else request.path.rstrip("/").rpartition("/")[2]
        answer = self._endpoints.get(name, {})
        return answer.pop(0) if isinstance(answer, list) else answer

    async def _reply(
        self, reply: Reply, is_stream: bool, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if reply.wait_before is not None:
            await self._until(reply.wait_before, reader)
        if reply.drop_before:
            _reset(writer)
            raise ConnectionResetError
        if reply.body is not None:
            await _send(writer, reply.status, reply.body, reply.headers)
        elif not is_stream:
            await _send(
                writer, reply.status, json.dumps(reply.chunks[-1]).encode(), {"Content-Type": "application/json"}
            )
        else:
            await self._stream(reply, reader, writer)

    async def _stream(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"} | reply.headers
        writer.write(_head(reply.status, headers))
        for count, each in enumerate(reply.chunks):
            if reply.cut_after == count:
                break
            data = each if isinstance(each, bytes) else _event(each, reply.eol)
            for piece in reply.split(data) if reply.split else (data,):
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                await writer.drain()
        reply.sent.set()
        if reply.cut_after is not None:
            _reset(writer)
            raise ConnectionResetError
        if reply.hold_after is not None:
            await self._until(reply.release, reader)
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _until(self, event: threading.Event, reader: asyncio.StreamReader) -> None:
        """Until the event is set, or the client hangs up."""
        gone = asyncio.ensure_future(reader.read(1))
        while not event.is_set():
            done, _ = await asyncio.wait({gone}, timeout=0.01)
            if done:
                self.gone.set()
                raise ConnectionResetError
        gone.cancel()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    url = urlsplit(target)
    return Request(method, url.path, dict(parse_qsl(url.query)), headers, raw)


def _event(value: Any, eol: str) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}{eol}{eol}".encode()


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode("latin-1")


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str]) -> None:
    writer.write(_head(status, headers | {"Content-Length": str(len(body))}) + body)
    await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Die as a crashed peer does: RST, not FIN."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


# --- what the real service would not accept -------------------------------------------------

_DATA = {"text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult"}


def violations(body: Json) -> list[str]:
    """Why the real service would refuse this conversation, or misread it."""
    found: list[str] = []
    previous: Json = {"role": "model", "parts": []}
    for index, content in enumerate(body.get("contents") or [{}]):
        where = f"contents[{index}]"
        role, parts = content.get("role"), content.get("parts") or []
        if role not in ("user", "model") or role == previous["role"]:
            found.append(f"{where}: role {role!r} after {previous['role']!r}")
        if not parts:
            found.append(f"{where}: no parts")
        for part in parts:
            if len(_DATA & set(part)) != 1:
                found.append(f"{where}: a part with the data fields {sorted(_DATA & set(part))}")
            if part.get("thought"):
                found.append(f"{where}: a thought is sent back")
        asked = [(c.get("id"), c.get("name")) for c in _inside(previous["parts"], "functionCall")]
        answered = [(r.get("id"), r.get("name")) for r in _inside(parts, "functionResponse")]
        if asked != answered:
            found.append(f"{where}: responses {answered} for calls {asked}")
        for each in _inside(parts, "functionCall"):
            if not each.get("id") or not isinstance(each.get("args"), dict):
                found.append(f"{where}: call without id or object arguments: {each}")
        previous = {"role": role, "parts": parts}
    if previous["role"] != "user":
        found.append("the last content is not the user's")
    return found


def _inside(parts: list[Json], name: str) -> list[Json]:
    return [part[name] for part in parts if name in part]
