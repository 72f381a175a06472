"""Server-sent events, split on bytes.

Proxies cut frames anywhere: inside a UTF-8 character, between CR and LF. Splitting decoded text would also
break JSON that holds a raw U+2028, U+2029 or U+0085, so nothing is decoded here.
"""

import re
from collections.abc import Iterator

MAX_EVENT = 32 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9_-]*(?::|$)")
_BOM = b"\xef\xbb\xbf"


class SseError(Exception):
    """The bytes are not an event stream; `seen` holds what came instead."""

    def __init__(self, message: str, seen: bytes = b"") -> None:
        super().__init__(message)
        self.seen = seen


class SseReader:
    """Gives the data of each event, in order, however the bytes were cut.

    Comments and the fields event, id and retry are passed over, as the standard says. Data of several lines is
    joined with line feeds. An event that the stream's end completes (no blank line) counts.
    """

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self._max = max_event
        self._rest = bytearray()
        self._searched = 0  # bytes of _rest known to hold no line end
        self._data: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not data:
            return
        self._rest += data
        if not self._started:
            if _BOM.startswith(bytes(self._rest[:3])) and len(self._rest) < len(_BOM):
                return
            self._started = True
            if self._rest.startswith(_BOM):
                del self._rest[: len(_BOM)]
        yield from self._lines()
        if self._size + len(self._rest) > self._max:
            raise SseError(f"one event is larger than {self._max} bytes")

    def close(self) -> Iterator[bytes]:
        """The stream has ended: what is left is the last line."""
        if self._rest:
            yield from self._line(bytes(self._rest), len(self._rest))
            self._rest.clear()
        yield from self._take()

    def _lines(self) -> Iterator[bytes]:
        start = 0
        if self._after_cr and self._rest:
            start = 1 if self._rest[0] == ord("\n") else 0
            self._after_cr = False
        search = max(start, self._searched)
        while end := _LINE_END.search(self._rest, search):
            line = bytes(self._rest[start : end.start()])
            start = search = end.end()
            # A CR that ends what has arrived ends the line at once; an LF that follows belongs to it.
            self._after_cr = end.group() == b"\r" and start == len(self._rest)
            yield from self._line(line, start)
        del self._rest[:start]
        self._searched = len(self._rest)

    def _line(self, line: bytes, after: int) -> Iterator[bytes]:
        """Take in one line; `after` is where the unread bytes begin."""
        if not line:
            yield from self._take()
        elif line.startswith(b"data:"):
            value = line[5:]
            value = value[1:] if value.startswith(b" ") else value
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self._max:
                raise SseError(f"one event is larger than {self._max} bytes")
        elif line.startswith(b":") or _FIELD.match(line):
            pass
        else:
            raise SseError("the answer is not an event stream", line + b"\n" + bytes(self._rest[after:]))

    def _take(self) -> Iterator[bytes]:
        event = b"\n".join(self._data)
        self._data.clear()
        self._size = 0
        if event:
            yield event
