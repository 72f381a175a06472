"""Whole turns over real HTTP: the event list, and what went over the wire."""

from collections.abc import Mapping

import pytest

from gemcli.errors import InputError, ToolError
from gemcli.events import (
    ApiCallFinished,
    ContentCommitted,
    Failure,
    Notice,
    NoticeLevel,
    TextDelta,
    TextDisplay,
    ThoughtDelta,
    ToolCallChanged,
    ToolCallView,
    TurnEnd,
    TurnFinished,
    TurnStarted,
)
from gemcli.kinds import CallStatus
from gemcli.session.parts import NO_SIGNATURE
from gemcli.wire import Content, Usage
from tests.fake_gemini import FakeGemini, call, chunk, raw_call, says, text, thought, turn, usage
from tests.support import MODEL, open_session, said


class Echo:
    """A tool for the seam between the session and its tools."""

    name = "echo"
    declaration: Mapping[str, object] = {
        "name": "echo",
        "description": "Says it again.",
        "parametersJsonSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
    }

    async def run(self, args: Mapping[str, object]) -> str:
        if args.get("word") == "no":
            raise ToolError("I do not say no.", "execution_failed")
        if args.get("word") == "crash":
            raise ZeroDivisionError("by zero")
        return f"heard {args.get('word')}"


def user(*parts: Mapping[str, object]) -> Content:
    return Content.model_validate({"role": "user", "parts": list(parts)})


def model(*parts: Mapping[str, object]) -> Content:
    return Content.model_validate({"role": "model", "parts": list(parts)})


def finished(**use: int) -> ApiCallFinished:
    counts = Usage.model_validate(usage(**use))
    return ApiCallFinished(MODEL, "main", 0.0, counts, None, 1_048_576 - (counts.prompt_token_count or 0))


async def test_a_plain_answer() -> None:
    with FakeGemini(turn(thought("Plan", "Think."), text("Hello "), text("wörld"), use=usage(12, 3, 4))) as fake:
        async with open_session(fake, system_prompt="Be good.") as session:
            events = await said(session, "hi")
        assert events == [
            TurnStarted("session-1#1", MODEL),
            ContentCommitted("message-1", user({"text": "hi"})),
            ThoughtDelta("Plan", "Think."),
            TextDelta("Hello "),
            TextDelta("wörld"),
            finished(prompt=12, output=3, thoughts=4),
            ContentCommitted("message-2", model({"text": "Hello wörld"})),
            TurnFinished(TurnEnd.DONE),
        ]
        assert fake.requests[0].body == {
            "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
            "systemInstruction": {"role": "user", "parts": [{"text": "Be good."}]},
            "generationConfig": {
                "temperature": 0,
                "topP": 1,
                "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True},
            },
        }


async def test_tool_calls_are_run_and_answered_in_order() -> None:
    """Two calls in one chunk and one in another become one model turn and one user turn."""
    first = says(
        chunk(thought("Look")),
        chunk(text("Let me see. ")),
        chunk(call("echo", word="a", signature="sig-1"), call("echo", id="fc9", word="no")),
        chunk(call("missing", x=1), finish="STOP", use=usage()),
    )
    with FakeGemini(first, turn(text("Done."))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            events = await said(session, "go")
        assert fake.requests[0].body["tools"] == [{"functionDeclarations": [Echo.declaration]}]
        assert fake.requests[1].contents == [
            {"role": "user", "parts": [{"text": "go"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Let me see. "},
                    {
                        "functionCall": {"id": "call-1", "name": "echo", "args": {"word": "a"}},
                        "thoughtSignature": "sig-1",
                    },
                    {"functionCall": {"id": "fc9", "name": "echo", "args": {"word": "no"}}},
                    {"functionCall": {"id": "call-2", "name": "missing", "args": {"x": 1}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "call-1", "name": "echo", "response": {"output": "heard a"}}},
                    {"functionResponse": {"id": "fc9", "name": "echo", "response": {"error": "I do not say no."}}},
                    {
                        "functionResponse": {
                            "id": "call-2",
                            "name": "missing",
                            "response": {"error": 'Tool "missing" not found. Did you mean one of: "echo"?'},
                        }
                    },
                ],
            },
        ]
    views = [event.call for event in events if isinstance(event, ToolCallChanged)]
    a, no, missing = (
        ("call-1", "echo", {"word": "a"}),
        ("fc9", "echo", {"word": "no"}),
        ("call-2", "missing", {"x": 1}),
    )

    def view(of: tuple[str, str, dict[str, object]], status: CallStatus, **more: object) -> ToolCallView:
        return ToolCallView(of[0], of[1], status, of[2], title=of[1], **more)  # type: ignore[arg-type]

    assert views == [
        *(view(each, CallStatus.VALIDATING) for each in (a, no, missing)),
        view(a, CallStatus.EXECUTING),
        view(a, CallStatus.SUCCESS, display=TextDisplay("heard a")),
        view(no, CallStatus.EXECUTING),
        view(no, CallStatus.ERROR, error=Failure("execution_failed", "I do not say no.")),
        view(
            missing,
            CallStatus.ERROR,
            error=Failure("tool_not_registered", 'Tool "missing" not found. Did you mean one of: "echo"?'),
        ),
    ]
    assert events[-1] == TurnFinished(TurnEnd.DONE)


async def test_a_tool_that_breaks_does_not_break_the_turn() -> None:
    with FakeGemini(turn(call("echo", word="crash")), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            events = await said(session, "go")
        assert fake.requests[1].responses[0]["response"] == {"error": "ZeroDivisionError: by zero"}
        assert events[-1] == TurnFinished(TurnEnd.DONE)


async def test_the_first_call_without_a_signature_is_marked() -> None:
    replies = [
        turn(call("echo", word="a"), call("echo", word="b")),
        turn(call("echo", word="c", signature="s")),
        turn(text(".")),
    ]
    with FakeGemini(*replies) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            await said(session, "go")
        signatures = [
            [part.get("thoughtSignature") for part in content["parts"]]
            for content in fake.requests[2].contents
            if content["role"] == "model"
        ]
        assert signatures == [[NO_SIGNATURE, None], ["s"]]


@pytest.mark.parametrize(
    ("function", "sent", "answer"),
    [
        ({"name": "echo"}, {}, {"output": "heard None"}),
        ({"name": "echo", "args": None}, {}, {"output": "heard None"}),
        ({"name": "echo", "args": '{"word": "a"}'}, {"word": "a"}, {"output": "heard a"}),
        ({"name": "echo", "args": ""}, {}, {"output": "heard None"}),
        (
            {"name": "echo", "args": "word=a"},
            {},
            {
                "error": 'The arguments of "echo" must be a JSON object; they were a string that is not JSON '
                "(Expecting value: line 1 column 1 (char 0))."
            },
        ),
        (
            {"name": "echo", "args": [1]},
            {},
            {"error": 'The arguments of "echo" must be a JSON object; they were a list.'},
        ),
    ],
)
async def test_odd_arguments(function: dict[str, object], sent: object, answer: object) -> None:
    with FakeGemini(turn(raw_call(function)), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            await said(session, "go")
        assert fake.requests[1].contents[1]["parts"][0]["functionCall"]["args"] == sent
        assert fake.requests[1].responses[0]["response"] == answer


async def test_a_call_without_a_name_is_answered() -> None:
    with FakeGemini(turn(raw_call({"args": {}})), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            await said(session, "go")
        assert fake.requests[1].responses[0]["response"] == {
            "error": 'Tool "unnamed_tool" not found. No tools are available.'
        }


async def test_a_call_that_came_twice_counts_once_and_ids_stay_distinct() -> None:
    calls = [call("echo", id="x", word="a"), call("echo", id="x", word="a"), call("echo", id="x", word="b")]
    with FakeGemini(turn(*calls), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            await said(session, "go")
        assert [(each["id"], each["response"]["output"]) for each in fake.requests[1].responses] == [
            ("x", "heard a"),
            ("call-1", "heard b"),
        ]


async def test_thoughts_are_not_sent_back_and_signatures_of_real_parts_are() -> None:
    first = turn(thought("S", "secret"), text("Hello", signature="t1"), text(" there"), text("", signature="t2"))
    with FakeGemini(first, turn(text("Again."))) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            await said(session, "two")
        assert fake.requests[1].contents[1]["parts"] == [
            {"text": "Hello", "thoughtSignature": "t1"},
            {"text": " there"},
            {"text": "", "thoughtSignature": "t2"},
        ]


async def test_what_a_newer_service_sends_is_kept() -> None:
    part = {"text": "x", "partMetadata": {"a": None, "b": [1]}}
    code = {"executableCode": {"language": "PYTHON", "code": "1+1", "id": "e1"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    image = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    file = {"fileData": {"mimeType": "text/plain", "fileUri": "gs://b/o"}}
    with FakeGemini(turn(part, code, result, image, file), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            await said(session, "two")
        assert fake.requests[1].contents[1]["parts"] == [part, code, result, image, file]


async def test_chunks_without_candidates_are_normal_and_their_history_is_not_added() -> None:
    history = [{"role": "model", "parts": [{"functionCall": {"id": "fc1", "name": "echo", "args": {"word": "a"}}}]}]
    first = says(
        {"usageMetadata": usage(7, 0)},
        chunk(call("echo", id="fc1", word="a")),
        {"automaticFunctionCallingHistory": history},
        {"candidates": None, "modelVersion": "x"},
        chunk(finish="STOP", use=usage(7, 2)),
    )
    with FakeGemini(first, turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            events = await said(session, "go")
        assert len(fake.requests[1].contents) == 3
        assert finished(prompt=7, output=2) in events


async def test_an_empty_answer_after_a_tool_is_a_normal_end() -> None:
    with FakeGemini(turn(call("echo", word="a")), turn(text("")), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)
            assert (await said(session, "more"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == 3


async def test_a_call_without_finish_reason_is_accepted() -> None:
    with FakeGemini(turn(call("echo", word="a"), finish=None), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == 2


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("MAX_TOKENS", "The answer was cut: it reached the limit of output tokens. (MAX_TOKENS)"),
        ("SAFETY", "The service stopped the answer for safety reasons. (SAFETY)"),
        ("BRAND_NEW", "The service ended the answer with BRAND_NEW. (BRAND_NEW)"),
    ],
)
async def test_other_finish_reasons_after_text_are_said(reason: str, words: str) -> None:
    with FakeGemini(turn(text("Some text"), finish=reason)) as fake:
        async with open_session(fake) as session:
            events = await said(session, "go")
        assert events[-3:] == [
            ContentCommitted("message-2", model({"text": "Some text"})),
            Notice(NoticeLevel.WARNING, "finish_reason", words),
            TurnFinished(TurnEnd.DONE),
        ]


@pytest.mark.parametrize(
    "reason",
    ["MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "BRAND_NEW"],
)
async def test_other_finish_reasons_without_text_end_the_turn(reason: str) -> None:
    with FakeGemini(turn(finish=reason, message="mock words")) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "go"))[-1]
        assert isinstance(end, TurnFinished) and end.error is not None
        assert (end.reason, end.error.type, end.error.exit_code) == (TurnEnd.ERROR, reason, 1)
        assert end.error.message.endswith("mock words")
        assert len(fake.requests) == 1


async def test_a_blocked_prompt_ends_the_turn() -> None:
    with FakeGemini(says({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "go"))[-1]
            assert isinstance(end, TurnFinished) and end.error is not None
            assert end.error.type == "PROHIBITED_CONTENT"
            assert (await said(session, "next"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == 2


async def test_a_prompt_that_the_service_refuses_does_not_spoil_the_next() -> None:
    from tests.fake_gemini import fails

    with FakeGemini(fails(400, "too large"), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "enormous"))[-1]
            assert end == TurnFinished(
                TurnEnd.ERROR, Failure("INVALID_ARGUMENT", "too large", "", 400, 1, is_api=True), withdrawn="message-1"
            )
            await said(session, "small")
        assert fake.requests[1].contents == [{"role": "user", "parts": [{"text": "small"}]}]


ODD_PARTS = [
    {"functionCall": None},
    {"inlineData": None, "text": None},
    {"brandNew": None},
    {"functionResponse": {"name": "x", "response": {}}},
    {"thoughtSignature": "alone"},
    {},
]


@pytest.mark.parametrize("part", ODD_PARTS)
@pytest.mark.parametrize("finish", ["STOP", None])
async def test_odd_parts_leave_a_valid_history(part: dict[str, object], finish: str | None) -> None:
    """The fake fails the test when a request is no valid conversation."""
    odd = turn(part, text("hi"), finish=finish)
    with FakeGemini(*[odd] * (1 if finish else 4), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            assert (await said(session, "two"))[-1] == TurnFinished(TurnEnd.DONE)
        assert fake.requests[-1].contents[1]["parts"][-1] == {"text": "hi"}


@pytest.mark.parametrize("args", ['{"a":"\\ud800"}', "[" * 100_000, '"text"'])
async def test_arguments_that_would_break_a_history(args: str) -> None:
    with FakeGemini(turn(raw_call({"name": "echo", "args": args})), turn(text("ok")), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            assert (await said(session, "one"))[-1] == TurnFinished(TurnEnd.DONE)
            assert (await said(session, "two"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == 3


@pytest.mark.parametrize("reason", ["SAFETY", "MAX_TOKENS"])
async def test_a_call_of_an_answer_that_was_stopped_is_not_run(reason: str) -> None:
    with FakeGemini(turn(call("echo", word="a"), finish=reason), turn(text("ok"))) as fake:
        async with open_session(fake, tools=[Echo()]) as session:
            events = await said(session, "go")
            end = events[-1]
            assert isinstance(end, TurnFinished) and end.error is not None and end.error.type == reason
            assert not [event for event in events if isinstance(event, ToolCallChanged)]
            await said(session, "next")


async def test_a_blocked_prompt_is_withdrawn() -> None:
    with FakeGemini(says({"promptFeedback": {"blockReason": "OTHER"}}), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "bad"))[-1]
            assert isinstance(end, TurnFinished) and end.withdrawn == "message-1"
            await said(session, "good")
        assert fake.requests[1].contents == [{"role": "user", "parts": [{"text": "good"}]}]


async def test_thoughts_keep_their_blanks() -> None:
    with FakeGemini(
        turn({"text": "look at ", "thought": True}, {"text": "the file", "thought": True}, text("ok"))
    ) as fake:
        async with open_session(fake) as session:
            events = await said(session, "go")
    assert [event.text for event in events if isinstance(event, ThoughtDelta)] == ["look at ", "the file"]


async def test_an_empty_prompt_is_no_prompt() -> None:
    with FakeGemini() as fake:
        async with open_session(fake) as session:
            with pytest.raises(InputError):
                await said(session, "")
        assert fake.requests == []


async def test_unescaped_control_characters_and_lone_surrogates_are_survived() -> None:
    raw = b'data: {"candidates":[{"content":{"parts":[{"text":"a\x01\tb \\ud83d c"}]},"finishReason":"STOP"}]}\n\n'
    with FakeGemini(says(raw), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            events = await said(session, "go")
            await said(session, "again")
        assert TextDelta("a\x01\tb \ufffd c") in events
        assert fake.requests[1].contents[1]["parts"] == [{"text": "a\x01\tb \ufffd c"}]


async def test_a_second_turn_at_the_same_time_is_refused() -> None:
    from tests.fake_gemini import stalls

    with FakeGemini(stalls(text("x"))) as fake:
        async with open_session(fake) as session:
            first = session.send("one")
            await anext(first)
            with pytest.raises(RuntimeError, match="already running"):
                await anext(session.send("two"))
            await first.aclose()
