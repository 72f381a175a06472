"""What is tried again, how often, after what wait; and what is not."""

import socket
import threading

import pytest

from gemcli.api.retry import BAD_ANSWER, NO_ANSWER, Retries
from gemcli.api.sse import MAX_EVENT
from gemcli.clock import SystemClock
from gemcli.config.catalogue import CONNECT_TIMEOUT, FIRST_BYTE_TIMEOUT, SILENCE_TIMEOUT
from gemcli.errors import ApiError, ApiErrorKind
from gemcli.events import (
    ApiCallFinished,
    Choice,
    Chosen,
    ContentCommitted,
    Event,
    ModelSwitched,
    QuestionAsked,
    Retrying,
    TextDelta,
    TurnEnd,
    TurnFinished,
)
from gemcli.session.model_call import NOW, OTHER_MODEL, STOP
from tests.fake_clock import FakeClock
from tests.fake_gemini import (
    FakeGemini,
    Reply,
    chunk,
    cut_after,
    drops,
    fails,
    json_body,
    page,
    says,
    stalls,
    text,
    thought,
    turn,
)
from tests.support import open_session, running, said, until

OK = turn(text("Recovered."))
DOUBLING = [5.0, 10.0, 20.0, 30.0, 30.0, 30.0, 30.0, 30.0, 30.0]  # random() is 0.5 in these tests: no jitter


async def run(*replies: Reply, repeats: bool = False) -> tuple[list[Event], FakeClock, FakeGemini]:
    clock = FakeClock()
    with FakeGemini(*replies, last_repeats=repeats) as fake:
        async with open_session(fake, clock) as session:
            events = await said(session, "go")
    return events, clock, fake


def shown(events: list[Event]) -> str:
    """The text that is left on screen: a retry withdraws what its attempt said."""
    committed, attempt = "", ""
    for event in events:
        match event:
            case TextDelta(delta):
                attempt += delta
            case Retrying():
                attempt = ""
            case ContentCommitted():
                committed, attempt = committed + attempt, ""
            case _:
                pass
    return committed + attempt


def error_of(events: list[Event]) -> tuple[str, int | None]:
    end = events[-1]
    assert isinstance(end, TurnFinished) and end.reason is TurnEnd.ERROR and end.error is not None
    return end.error.type, end.error.status


# --- no answer began ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failing",
    [fails(429), fails(499), fails(500), fails(503), fails(504), page(502), drops(), Reply(status=500, body=b"")],
    ids=["429", "499", "500", "503", "504", "html-502", "dropped", "empty-500"],
)
async def test_failures_that_pass_are_tried_again(failing: Reply) -> None:
    events, clock, fake = await run(failing, failing, OK)
    assert (shown(events), events[-1]) == ("Recovered.", TurnFinished(TurnEnd.DONE))
    assert clock.slept == [5.0, 10.0]
    assert [event.attempt for event in events if isinstance(event, Retrying)] == [1, 2]
    assert fake.requests[0].raw == fake.requests[2].raw


async def test_ten_attempts_then_the_error() -> None:
    events, clock, fake = await run(fails(503, "overloaded"), repeats=True)
    assert error_of(events) == ("UNAVAILABLE", 503)
    assert (len(fake.requests), clock.slept) == (10, DOUBLING)
    calls = [event for event in events if isinstance(event, ApiCallFinished)]
    assert [call.error.type for call in calls if call.error] == ["UNAVAILABLE"] * 10


async def test_the_number_of_attempts_can_be_lowered() -> None:
    with FakeGemini(fails(503), last_repeats=True) as fake:
        async with open_session(fake, max_attempts=2) as session:
            await said(session, "go")
        assert len(fake.requests) == 2


@pytest.mark.parametrize(
    ("failing", "seconds"),
    [
        (fails(429, retry_after="2"), 2.0),
        (fails(503, retry_after="1.5"), 1.5),
        (fails(429, retry_after="Fri, 02 Jan 2026 03:04:45 GMT"), 40.0),
        (fails(429, retry_after="Fri, 02 Jan 2026 03:00:00 GMT"), 0.0),
        (fails(429, retry_after="soon"), 5.0),
        (fails(429, retry_delay="0.251s"), 0.251),
        (fails(429, retry_delay="3s", retry_after="9"), 3.0),
        (fails(429, "Quota exceeded. Please retry in 38.25s."), 38.25),
        (fails(429, "Please retry in 750ms."), 0.75),
        (fails(429, reason="RATE_LIMIT_EXCEEDED", retry_delay="4s"), 4.0),
        (fails(429, "You have exhausted your capacity on this model."), 5.0),
        (fails(429, quota_id="GenerateRequestsPerMinutePerProjectPerModel", retry_delay="7s"), 7.0),
        (fails(429, retry_delay="300s"), 300.0),
    ],
)
async def test_a_delay_given_by_the_service_replaces_ours(failing: Reply, seconds: float) -> None:
    events, clock, _ = await run(failing, OK)
    assert (shown(events), clock.slept) == ("Recovered.", [seconds])


@pytest.mark.parametrize(
    "failing",
    [
        fails(429, quota_id="GenerateRequestsPerDayPerProjectPerModel-FreeTier", retry_delay="30s"),
        fails(429, quota_id="DailyLimit"),
        fails(429, "Quota exceeded for metric x, limit: 0, model: y"),
        fails(429, reason="QUOTA_EXHAUSTED", retry_delay="2s"),
        fails(429, retry_delay="301s"),
        fails(429, retry_after="86400"),
    ],
)
async def test_a_quota_that_is_used_up_is_final(failing: Reply) -> None:
    events, clock, fake = await run(failing, OK)
    assert error_of(events) == ("RESOURCE_EXHAUSTED", 429)
    assert (len(fake.requests), clock.slept) == (1, [])


async def test_an_unavailable_service_that_asks_for_an_hour_is_not_waited_for() -> None:
    events, clock, _ = await run(fails(503, retry_after="3600"), OK)
    assert (error_of(events), clock.slept) == (("UNAVAILABLE", 503), [])


@pytest.mark.parametrize("reason", ["QUOTA_EXHAUSTED", "INSUFFICIENT_G1_CREDITS_BALANCE"])
async def test_a_quota_can_be_used_up_under_any_status(reason: str) -> None:
    for status in (429, 503):
        events, clock, _ = await run(fails(status, reason=reason), OK)
        assert (error_of(events)[1], clock.slept) == (status, [])


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"details": [{"violations": 5}, 7, {"reason": ["x"]}, {"violations": ["y"]}], "message": 3}},
        {"error": "just words"},
        [{"error": {"code": "503"}}],
        [],
        "text",
    ],
)
async def test_odd_error_bodies_are_their_status(body: object) -> None:
    events, clock, _ = await run(json_body(body, 503), OK)
    assert (shown(events), clock.slept) == ("Recovered.", [5.0])


async def test_deeply_nested_error_bodies() -> None:
    events, clock, _ = await run(Reply(status=500, body=b"[" * 100_000), OK)
    assert (shown(events), clock.slept) == ("Recovered.", [5.0])


async def test_a_redirect_is_not_followed() -> None:
    events, _, fake = await run(Reply(status=302, body=b"", headers={"Location": "/v1beta/elsewhere"}), OK)
    assert (error_of(events)[1], len(fake.requests)) == (302, 1)


async def test_network_errors_are_final_where_settings_say_so() -> None:
    clock = FakeClock()
    with FakeGemini(drops(), OK) as fake:
        async with open_session(fake, clock, retries_network=False) as session:
            events = await said(session, "go")
    assert (error_of(events), clock.slept) == (("NETWORK_ERROR", None), [])


def test_the_usual_waits() -> None:
    assert (CONNECT_TIMEOUT.default, FIRST_BYTE_TIMEOUT.default, SILENCE_TIMEOUT.default) == (10, 120, 60)
    error = ApiError(ApiErrorKind.SERVER, "x")
    assert (Retries(lambda: 0.0).wait_after(error), Retries(lambda: 1.0).wait_after(error)) == (3.5, 6.5)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 302])
async def test_refusals_are_final(status: int) -> None:
    events, clock, fake = await run(fails(status, "mock refusal"), OK)
    assert error_of(events)[1] == status
    assert (len(fake.requests), clock.slept) == (1, [])


async def test_the_waits_are_spread_by_thirty_per_cent() -> None:
    assert [round(NO_ANSWER.wait(n, -1), 3) for n in (1, 2, 3, 4, 9)] == [3.5, 7.0, 14.0, 21.0, 21.0]
    assert [round(NO_ANSWER.wait(n, 1), 3) for n in (1, 2, 3, 4, 9)] == [6.5, 13.0, 26.0, 39.0, 39.0]
    assert [BAD_ANSWER.wait(n, 1) for n in (1, 2, 3)] == [1.0, 2.0, 4.0]


async def test_nobody_listens() -> None:
    with FakeGemini() as fake:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
        env = {"GEMINI_API_KEY": "k" * 20, "GOOGLE_GEMINI_BASE_URL": nobody}
        async with open_session(fake, env=env, max_attempts=2) as session:
            events = await said(session, "go")
    assert error_of(events) == ("NETWORK_ERROR", None)


# --- an answer began ------------------------------------------------------------------------


def event(value: str) -> bytes:
    return f"data: {value}\n\n".encode()


BAD = {
    "empty": says(),
    "usage only": says({"usageMetadata": {"promptTokenCount": 3}}),
    "no finish reason": turn(text("Partial "), text("text"), finish=None),
    "no text": turn(text("")),
    "white space": turn(text(" \n")),
    "thoughts only": turn(thought("Hmm", "…")),
    "malformed call": turn(text("Partial"), finish="MALFORMED_FUNCTION_CALL"),
    "unexpected call": turn(finish="UNEXPECTED_TOOL_CALL"),
    "reset": cut_after(2, text("Partial "), text("text")),
    "reset before the first event": cut_after(0),
    "not JSON": says(chunk(text("Partial")), event('{"candidates": [')),
    "not a chunk": says(chunk(text("Partial")), event('"hello"')),
    "wrong shape": says(chunk(text("Partial")), event('{"candidates": "many"}')),
    "half a character": says(chunk(text("Partial")), b'data: {"candidates": [{"content": "\xe6\x97'),
    "web page with 200": page(200),
    "web page in the stream": says(chunk(text("Partial")), b"<html>\n"),
    "huge line": says(*[b"data: " + b"x" * (1 << 20)] * 34, eol=""),
    "deeply nested": says(event("[" * 100_000)),
}


@pytest.mark.parametrize("name", BAD)
async def test_an_answer_that_is_none_is_tried_again_and_its_text_withdrawn(name: str) -> None:
    events, clock, fake = await run(BAD[name], OK)
    assert (shown(events), events[-1]) == ("Recovered.", TurnFinished(TurnEnd.DONE))
    assert (len(fake.requests), clock.slept) == (2, [1.0])
    assert fake.requests[0].raw == fake.requests[1].raw


async def test_a_line_that_never_ends_is_refused_for_its_size() -> None:
    events, _, _ = await run(BAD["huge line"], OK)
    [retry] = [event for event in events if isinstance(event, Retrying)]
    assert f"larger than {MAX_EVENT} bytes" in retry.reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty", "NO_FINISH_REASON"),
        ("no text", "NO_RESPONSE_TEXT"),
        ("thoughts only", "THINKING_ONLY_RESPONSE"),
        ("malformed call", "MALFORMED_FUNCTION_CALL"),
        ("unexpected call", "UNEXPECTED_TOOL_CALL"),
        ("reset", "CONNECTION_LOST"),
        ("not JSON", "MALFORMED_EVENT"),
        ("web page with 200", "MALFORMED_EVENT"),
    ],
)
async def test_four_attempts_then_the_error(name: str, reason: str) -> None:
    events, clock, fake = await run(BAD[name], repeats=True)
    assert error_of(events) == (reason, None)
    assert (len(fake.requests), clock.slept) == (4, [1.0, 2.0, 4.0])


async def test_what_was_said_before_the_last_failure_stays_and_the_session_goes_on() -> None:
    lost = cut_after(1, text("Half an answer"), text("!"))
    with FakeGemini(lost, lost, lost, lost, OK) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            await said(session, "two")
        assert [content["parts"] for content in fake.requests[4].contents] == [
            [{"text": "one"}],
            [{"text": "Half an answer"}],
            [{"text": "two"}],
        ]


ERROR_EVENT = b'{"error": {"code": %d, "message": "mock event", "status": "%b"}}'


FRAMES = {
    "event": b"data: %b\n\n",
    "bare": b"%b",
    "list": b"[%b\n]",
    "list in an event": b"data: [%b]\n\n",
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
async def test_an_error_inside_a_200_counts_as_its_status(frame: bytes) -> None:
    busy = says(chunk(text("Partial")), frame % (ERROR_EVENT % (503, b"UNAVAILABLE")))
    events, clock, _ = await run(busy, OK)
    assert (shown(events), clock.slept) == ("Recovered.", [5.0])
    refused = says(chunk(text("Partial")), frame % (ERROR_EVENT % (400, b"INVALID_ARGUMENT")))
    events, clock, fake = await run(refused, OK)
    assert (error_of(events), len(fake.requests)) == (("INVALID_ARGUMENT", 400), 1)


async def test_both_kinds_of_failure_have_attempts_of_their_own() -> None:
    events, clock, _ = await run(fails(503), BAD["empty"], fails(503), BAD["reset"], OK)
    assert (shown(events), clock.slept) == ("Recovered.", [5.0, 1.0, 10.0, 2.0])
    assert [event.attempt for event in events if isinstance(event, Retrying)] == [1, 2, 3, 4]


# --- silence --------------------------------------------------------------------------------


async def test_silence_before_the_first_byte_and_inside_the_stream() -> None:
    """The clock is ours: 120 s without a first byte, then 60 s of silence in the stream."""
    clock = FakeClock()
    mute = Reply(wait_before=threading.Event())
    with FakeGemini(mute, stalls(text("Partial")), OK) as fake:
        async with open_session(fake, clock) as session, running(session, "go") as turn_:
            await fake.seen(1)
            await until(lambda: clock.waiting)
            clock.advance(119)
            await turn_.quiet()
            assert len(fake.requests) == 1
            clock.advance(1.5)
            await until(lambda: TextDelta("Partial") in turn_.events and clock.waiting)
            clock.advance(59)
            await turn_.quiet()
            assert len(fake.requests) == 2
            clock.advance(1.5)
            events = await turn_.all()
    assert (shown(events), clock.slept) == ("Recovered.", [5.0, 1.0])
    reasons = [event.reason for event in events if isinstance(event, Retrying)]
    assert reasons == ["The service was silent for 120 seconds.", "The service was silent for 60 seconds."]


async def test_headers_without_a_first_byte_are_silence_too() -> None:
    clock = FakeClock()
    with FakeGemini(stalls(), OK) as fake:
        async with open_session(fake, clock) as session, running(session, "go") as turn_:
            await until(lambda: clock.begun == 2)  # one limit until the headers, the rest of it until the first byte
            clock.advance(121)
            assert shown(await turn_.all()) == "Recovered."
    assert clock.slept == [1.0]


async def test_the_waits_are_settings() -> None:
    """With the real clock, and a listener that never accepts a connection's data."""
    network = {"network": {"connectTimeout": 5, "firstByteTimeout": 0.05, "silenceTimeout": 0.05}}
    with FakeGemini(stalls(), last_repeats=True) as fake:
        async with open_session(fake, SystemClock(), settings=network, max_attempts=1) as session:
            events = await said(session, "go")
    assert error_of(events) == ("TIMEOUT", None)


async def test_connecting_is_bounded() -> None:
    """A listener whose queue is full: the connection is never made."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        with socket.create_connection(address), FakeGemini() as fake:
            env = {"GEMINI_API_KEY": "k" * 20, "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{address[1]}"}
            network = {"network": {"connectTimeout": 0.05}}
            async with open_session(fake, settings=network, env=env, max_attempts=1) as session:
                events = await said(session, "go")
    assert error_of(events) == ("NETWORK_ERROR", None)


# --- waiting is a question ------------------------------------------------------------------


@pytest.mark.parametrize("answer", [NOW, None])
async def test_a_long_wait_can_be_cut_short(answer: str | None) -> None:
    clock = FakeClock(instant=False)
    with FakeGemini(fails(503, "overloaded"), OK) as fake:
        async with open_session(fake, clock) as session, running(session, "go") as turn_:
            await until(lambda: clock.sleeping)
            if answer:
                session.answer("question-1", Chosen(answer))
            else:
                clock.advance(5)
            events = await turn_.all()
    asked = [event for event in events if isinstance(event, QuestionAsked)]
    choice = Choice("The service did not answer", "overloaded The next attempt is in 5 s.", (NOW, OTHER_MODEL, STOP))
    withdrawn = [] if answer else [QuestionAsked("question-1", None)]
    assert asked == [QuestionAsked("question-1", choice), *withdrawn]
    assert shown(events) == "Recovered."


async def test_another_model_can_be_chosen_while_waiting() -> None:
    clock = FakeClock(instant=False)
    with FakeGemini(fails(503), OK, OK) as fake:
        async with open_session(fake, clock) as session:
            async with running(session, "go") as turn_:
                await until(lambda: clock.sleeping)
                session.answer("question-1", Chosen(OTHER_MODEL, "gemini-2.5-flash"))
                events = await turn_.all()
            await said(session, "again")
        assert ModelSwitched("gemini-2.5-pro", "gemini-2.5-flash", "chosen while waiting") in events
        models = [request.path.split("/")[-1].split(":")[0] for request in fake.requests]
        assert models == ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash"]


async def test_the_wait_can_be_given_up() -> None:
    clock = FakeClock(instant=False)
    with FakeGemini(fails(503, "overloaded")) as fake:
        async with open_session(fake, clock) as session, running(session, "go") as turn_:
            await until(lambda: clock.sleeping)
            session.answer("question-1", Chosen(STOP))
            session.answer("question-1", Chosen(STOP))  # too late, and harmless
            assert error_of(await turn_.all()) == ("UNAVAILABLE", 503)
