"""The event reader: the same events, however the bytes are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemcli.api.sse import SseError, SseReader

JSON = '{"text": "naïve 日本語 😀 \u2028 \u2029 \u0085"}'


def read(*pieces: bytes, max_event: int = 1 << 20) -> list[bytes]:
    reader = SseReader(max_event)
    events = [event for piece in pieces for event in reader.feed(piece)]
    return [*events, *reader.close()]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
        (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
        (b"data: a\n\r\ndata: b\r\n\n", [b"a", b"b"]),
        (b"data:a\n\ndata:  b\n\n", [b"a", b" b"]),
        (b": hello\n\ndata: a\n: ping\n\n:\n\n", [b"a"]),
        (b"event: message\nid: 7\nretry: 10\ndata: a\n\n", [b"a"]),
        (b"data: {\ndata: }\n\n", [b"{\n}"]),
        (b"data: a\n\ndata: b", [b"a", b"b"]),
        (b"data: a\n\ndata: b\n", [b"a", b"b"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"\n\n\ndata: a\n\n\n\n", [b"a"]),
        (b"data:\n\ndata\n\n", []),
        (b"", []),
        (f"data: {JSON}\n\n".encode(), [JSON.encode()]),
    ],
)
def test_streams(stream: bytes, events: list[bytes]) -> None:
    assert read(stream) == events
    assert read(*(stream[i : i + 1] for i in range(len(stream)))) == events


@pytest.mark.parametrize(
    "stream", [b"<!DOCTYPE html>\n", b'{"error": {}}\n', b"Internal Server Error", b"data: a\n\n<x>\n"]
)
def test_what_is_no_event_stream_is_refused(stream: bytes) -> None:
    with pytest.raises(SseError):
        read(stream)


def test_a_foreign_line_is_kept_with_what_follows() -> None:
    with pytest.raises(SseError) as caught:
        read(b'data: a\n\n{"error":\n{}}')
    assert caught.value.seen == b'{"error":\n{}}'


@pytest.mark.parametrize("lines", [b"data: %b", b"data: 1\ndata: %b\n", b"data: %b\n" * 3])
def test_an_event_beyond_the_limit_is_refused(lines: bytes) -> None:
    big = b"x" * 70
    stream = lines.replace(b"%b", big)
    with pytest.raises(SseError, match="larger than 64 bytes"):
        read(stream, max_event=64)


def test_a_long_line_is_searched_once() -> None:
    """Feeding a long event in small pieces must not cost the square of its length."""
    reader = SseReader(1 << 26)
    piece = b"x" * 4096
    events = list(reader.feed(b"data: "))
    for _ in range(4000):
        events += reader.feed(piece)
    events += reader.feed(b"\n\n")
    assert [len(event) for event in events] == [4096 * 4000]


FIELD = st.sampled_from([b"data: ", b"data:", b"event: ", b"id: ", b": "])
VALUE = st.text(st.characters(blacklist_characters="\r\n", codec="utf-8")).map(str.encode)
EOL = st.sampled_from([b"\n", b"\r\n", b"\r"])
STREAM = st.lists(st.tuples(FIELD, VALUE, st.lists(EOL, min_size=1, max_size=3).map(b"".join))).map(
    lambda lines: b"".join(b"".join(line) for line in lines)
)


@given(STREAM, st.data())
def test_any_cut_of_any_stream_gives_the_same_events(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*pieces) == read(stream)
