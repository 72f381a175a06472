"""Compression: when, what is kept, what is refused; and that no call is ever cut from its response."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemcli.config.context import ContextFiles
from gemcli.config.paths import Paths
from gemcli.events import ApiCallFinished, ContentCommitted, Event, HistoryCompressed, Notice, TurnEnd, TurnFinished
from gemcli.session.compression import LONG_RESULT, shortened, split_point, valid_start
from gemcli.session.history import History, misfit
from gemcli.session.next_speaker import CONTINUE
from gemcli.session.opening import ACKNOWLEDGED
from gemcli.session.tokens import estimate
from gemcli.session.touched import Touched
from gemcli.wire import Content, text_content
from tests.fake_gemini import FakeGemini, call, chunk, fails, json_body, text, turn, usage
from tests.support import counting_ids, gemcli, open_session, said

LIMIT = 1_048_576
SUMMARY = "<state_snapshot>short</state_snapshot>"
FULL = usage(prompt=int(LIMIT * 0.6), output=5)


def summary(words: str = SUMMARY) -> Any:
    return json_body(chunk(text(words), finish="STOP", use=usage(100, 9)))


class Big:
    """A tool with long results, a list of things to do, and files it has to do with."""

    name = "big"
    declaration: Mapping[str, object] = {"name": "big"}

    def __init__(self, size: int = 10, todo: str = "") -> None:
        self._size = size
        self._todo = todo

    async def run(self, args: Mapping[str, object]) -> str:
        return f"{args.get('n', '')}:" + "x" * self._size

    def keepsake(self) -> str:
        return self._todo

    def touches(self, args: Mapping[str, object]) -> Sequence[Path]:
        return [Path.cwd() / str(args["path"])] if "path" in args else []


def filler(seed: int, length: int) -> str:
    """Prose that does not look like a loop."""
    pick = random.Random(seed)
    return "".join(pick.choice("abcdefghijklm nopqrs tuvwxyz") for _ in range(length))


def statuses(events: list[Event]) -> list[str]:
    return [event.status for event in events if isinstance(event, HistoryCompressed)]


OPENING = (text_content("user", "THE SCENE"), text_content("model", ACKNOWLEDGED))


async def test_the_threshold_is_passed() -> None:
    """The older part becomes a summary; the newest messages, and the scene, stay word for word."""
    words = filler(1, 600)
    replies = [turn(text(words)), turn(text(words)), turn(text("Near."), use=FULL), summary(), turn(text("Go on."))]
    with FakeGemini(*replies) as fake:
        async with open_session(fake, opening=OPENING, system_prompt="Be good.") as session:
            for prompt in ("one", "two", "three"):
                await said(session, prompt)
            events = await said(session, "four")
        assert statuses(events) == ["compressed"]
        ask, after = fake.requests[3], fake.requests[4]
        assert ask.path.endswith(":generateContent")
        assert "state_snapshot" in ask.body["systemInstruction"]["parts"][0]["text"]
        assert "tools" not in ask.body
        assert [content["role"] for content in after.contents] == ["user", "model", "user", "model", "user"]
        assert after.contents[0]["parts"] == [
            {"text": "THE SCENE"},
            {"text": f"What happened before, in notes:\n{SUMMARY}"},
        ]
        assert after.contents[1]["parts"] == [{"text": ACKNOWLEDGED}]
        assert [content["parts"][0]["text"] for content in after.contents[2:]] == ["three", "Near.", "four"]
        assert after.body["systemInstruction"] == fake.requests[0].body["systemInstruction"]
        roles = [event.role for event in events if isinstance(event, ApiCallFinished)]
        assert roles == ["compress", "main"]
        assert [event for event in events if isinstance(event, ContentCommitted)][1].content.text.startswith(
            "THE SCENE"
        )


async def test_inside_one_long_chain_of_calls() -> None:
    """No user's message to cut at: the tail begins with the model's call, the last request is kept word for word."""
    chain = [turn(call("big", n=n)) for n in range(8)]
    replies = [*chain, turn(call("big", n=8), use=FULL), summary(), turn(text("Done."))]
    with FakeGemini(*replies) as fake:
        side = "gemini-2.5-flash-lite"
        async with open_session(fake, tools=[Big(300, "TODO: finish")], opening=OPENING, side_model=side) as session:
            events = await said(session, "do all of it")
        assert (statuses(events), events[-1]) == (["compressed"], TurnFinished(TurnEnd.DONE))
        assert side in fake.requests[-2].path and side not in fake.requests[-1].path
        first, second = fake.requests[-1].contents[:2]
        assert [part["text"] for part in first["parts"]] == [
            "THE SCENE",
            f"What happened before, in notes:\n{SUMMARY}",
            "What the user asked last, word for word:",
            "do all of it",
            "TODO: finish",
        ]
        assert second["role"] == "model" and "functionCall" in second["parts"][0]


async def test_old_results_are_shortened_first_and_that_may_be_enough() -> None:
    chain = [turn(call("big", n=n)) for n in range(6)]
    with FakeGemini(*chain, turn(call("big", n=6), use=FULL), turn(text("Done."))) as fake:
        async with open_session(fake, tools=[Big(LONG_RESULT * 3)]) as session:
            events = await said(session, "go")
        assert (statuses(events), len(fake.requests)) == (["shortened"], 8)
        results = [
            part["functionResponse"]["response"]["output"]
            for content in fake.requests[-1].contents
            for part in content["parts"]
            if "functionResponse" in part
        ]
        assert "were left out to save room" in results[0] and len(results[0]) < LONG_RESULT
        assert len(results[-1]) > LONG_RESULT


async def test_touched_files_are_kept_and_bring_their_context_once() -> None:
    (Path.cwd() / "sub").mkdir()
    (Path.cwd() / "sub" / "GEMINI.md").write_text("SUB-RULE\n@./nowhere.md\n")
    context = ContextFiles(Paths(home=Path.home(), project=Path.cwd()), ["GEMINI.md"])
    context.at_start()
    touch = [turn(call("big", path="sub/a.py")), turn(call("big", path="sub/b.py"), use=FULL)]
    with FakeGemini(*touch, summary(), turn(text("Done."))) as fake:
        async with open_session(fake, tools=[Big(2000)], context=context) as session:
            events = await said(session, "go")
        assert ["nowhere.md" in event.text for event in events if isinstance(event, Notice)] == [True]
        first = fake.requests[1].responses[0]["response"]["output"]
        assert first.endswith(
            "--- Newly Discovered Project Context ---\n--- Context from: sub/GEMINI.md ---\nSUB-RULE\n"
            "<!-- Import failed: ./nowhere.md - there is no such file -->\n"
            "--- End of Context from: sub/GEMINI.md ---\n--- End Project Context ---"
        )
        notes = [part["text"] for part in fake.requests[-1].contents[0]["parts"]]
        assert notes[-1] == f"Files touched so far:\n- {Path.cwd()}/sub/a.py\n- {Path.cwd()}/sub/b.py"
        assert "SUB-RULE" not in fake.requests[-1].responses[0]["response"]["output"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [(summary("x" * 50_000), "not smaller"), (summary(" "), "empty summary"), (fails(400, "no"), "failed")],
)
async def test_a_summary_that_is_no_use_is_refused_and_not_tried_every_turn(answer: Any, status: str) -> None:
    words = filler(2, 1200)
    replies = [
        turn(text(words)),
        turn(text(words), use=FULL),
        answer,
        turn(text("a"), use=FULL),
        turn(text("b"), use=FULL),
    ]
    with FakeGemini(*replies) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            await said(session, "two")
            events = await said(session, "three")
            assert statuses(events) == [status]
            assert statuses(await said(session, "four")) == []
        assert len(fake.requests) == 5


async def test_summaries_do_not_pile_up() -> None:
    """Each compression keeps the scene and the newest notes, not those of all the ones before."""
    words = [filler(n, 900) for n in range(12)]
    replies = []
    for n in range(0, 12, 3):
        replies += [
            turn(text(words[n])),
            turn(text(words[n + 1])),
            turn(text(words[n + 2]), use=FULL),
            summary(f"NOTES {n}"),
        ]
    with FakeGemini(*replies, turn(text("end"))) as fake:
        async with open_session(fake, opening=OPENING) as session:
            for n in range(13):
                await said(session, f"prompt {n}")
        first = fake.requests[-1].contents[0]["parts"]
        assert [part["text"] for part in first] == ["THE SCENE", "What happened before, in notes:\nNOTES 9"]


async def test_half_a_summary_is_none() -> None:
    half = json_body(chunk(text("<state_snap"), finish="MAX_TOKENS", use=usage(9, 9)))
    with FakeGemini(turn(text(filler(3, 900))), turn(text(filler(4, 900)), use=FULL), half, turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            await said(session, "one")
            await said(session, "two")
            assert statuses(await said(session, "three")) == ["failed"]


async def test_a_fixed_part_beyond_the_threshold_does_not_compress_every_turn() -> None:
    notes = [summary("notes")] * 3
    big = [turn(text(filler(n, 3000)), use=FULL) for n in range(8)]
    with FakeGemini(*big[:2], notes[0], *big[2:]) as fake:
        async with open_session(fake) as session:
            found = [statuses(await said(session, f"prompt {n}")) for n in range(5)]
        assert sum(map(len, found)) <= 2


async def test_news_that_went_with_a_refused_prompt_is_told_again() -> None:
    with FakeGemini(fails(400, "no"), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            session.tell("memory", "[news]")
            await said(session, "bad")
            await said(session, "good")
        assert fake.requests[1].contents[0]["parts"] == [{"text": "[news]"}, {"text": "good"}]


async def test_on_demand() -> None:
    words = filler(2, 1200)
    with FakeGemini(turn(text(words)), turn(text(words)), summary(), turn(text("ok"))) as fake:
        async with open_session(fake) as session:
            assert statuses(await session.compress()) == ["nothing to compress"]
            await said(session, "one")
            await said(session, "two")
            assert statuses(await session.compress()) == ["compressed"]
            assert (await said(session, "three"))[-1] == TurnFinished(TurnEnd.DONE)


async def test_a_prompt_beyond_the_window_is_refused_with_the_numbers() -> None:
    with FakeGemini(turn(text("ok")), countTokens={"totalTokens": 2_000_000}) as fake:
        async with open_session(fake) as session:
            end = (await said(session, "x" * 5_000_000))[-1]
            assert isinstance(end, TurnFinished) and end.error is not None and end.withdrawn
            assert (end.error.exit_code, end.error.message) == (
                42,
                "The request needs about 2,000,000 tokens, and gemini-2.5-pro takes 1,048,576.",
            )
            assert (await said(session, "small"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.generated) == 1


async def test_an_estimate_alone_refuses_nothing() -> None:
    with FakeGemini(turn(text("ok")), countTokens={"totalTokens": 1_000_000}) as fake:
        async with open_session(fake) as session:
            assert (await said(session, "x" * 5_000_000))[-1] == TurnFinished(TurnEnd.DONE)


def test_headless_says_it() -> None:
    with FakeGemini(countTokens={"totalTokens": 2_000_000}) as fake:
        ran = gemcli("-p", "sum it up", stdin=b"word " * 1_200_000, fake=fake)
        assert (ran.code, fake.generated) == (42, [])
    assert "needs about 2,000," in ran.err and "takes 1,048,576." in ran.err


def test_estimates() -> None:
    def size(content: Content) -> int:
        return estimate(content, content.to_bytes())

    plain, other = text_content("user", "a" * 1000), text_content("user", "日" * 1000)
    picture = Content.model_validate(
        {"role": "user", "parts": [{"inlineData": {"mimeType": "x", "data": "A" * 400_000}}]}
    )
    assert 200 < size(plain) < 400
    assert 1000 < size(other) < 1500
    assert 1000 < size(picture) < 2000


async def test_shortening_that_is_not_enough_is_followed_by_a_summary() -> None:
    chain = [turn(call("big", n=n)) for n in range(6)]
    with FakeGemini(*chain, turn(call("big", n=6), use=FULL), summary(), turn(text("Done."))) as fake:
        async with open_session(fake, tools=[Big(LONG_RESULT * 3)], compression_threshold=0.001) as session:
            events = await said(session, "go")
    assert "compressed" in statuses(events)


def test_touched_files_are_listed_with_the_latest_last() -> None:
    touched = Touched()
    touched.note([Path("/a"), Path("/b"), Path("/a")])
    assert touched.keepsake() == "Files touched so far:\n- /b\n- /a"


# --- the law --------------------------------------------------------------------------------


def conversation(shape: list[int]) -> list[Content]:
    """Turns: a number of calls each; 0 is a plain answer."""
    contents: list[Content] = []
    for number, calls in enumerate(shape):
        contents.append(text_content("user", f"prompt {number} " * (number % 5 + 1)))
        for step in range(calls):
            ids = [f"{number}-{step}-{n}" for n in range(step % 3 + 1)]
            made = [{"functionCall": {"id": each, "name": "t", "args": {}}} for each in ids]
            given = [
                {"functionResponse": {"id": each, "name": "t", "response": {"output": "y" * (step * 700)}}}
                for each in ids
            ]
            contents.append(Content.model_validate({"role": "model", "parts": made}))
            contents.append(Content.model_validate({"role": "user", "parts": given}))
        contents.append(text_content("model", "answer"))
    return contents[:-1]  # the last answer is still to come


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.floats(0.0, 1.0))
def test_no_call_is_cut_from_its_response(shape: list[int], share: float) -> None:
    contents = conversation(shape)
    sizes = [len(content.to_bytes()) for content in contents]
    index = split_point(contents, sizes, share)
    assert 0 <= index < len(contents)
    if index:
        assert valid_start(contents[index])
        last = text_content("user", "notes")
        if contents[index].role == "user":
            last = text_content("model", ACKNOWLEDGED)
        for content in contents[index:]:
            assert misfit(last, content) == ""
            last = content


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_shortening_keeps_a_history_valid(shape: list[int]) -> None:
    history = History(counting_ids())
    for content in conversation(shape):
        history.append(shortened(content) or content)
    assert all(len(json.dumps(content.to_json())) < LONG_RESULT * 4 for content in history.contents)


# --- the next speaker -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "requests"), [("model", 4), ("user", 2), ("nobody", 2), ("not json", 2), (fails(400), 2)]
)
async def test_the_next_speaker(answer: Any, requests: int) -> None:
    said_ = {"reasoning": "r", "next_speaker": answer}
    words = answer if answer == "not json" else json.dumps(said_) if isinstance(answer, str) else ""
    reply = json_body(chunk(text(words), finish="STOP")) if isinstance(answer, str) else answer
    done = json_body(chunk(text('{"reasoning": "r", "next_speaker": "user"}'), finish="STOP"))
    with FakeGemini(turn(text("I will now")), reply, turn(text("go on.")), done) as fake:
        async with open_session(fake, asks_next_speaker=True) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == requests
        if answer == "model":
            assert fake.requests[2].last["parts"] == [{"text": CONTINUE}]
            schema = fake.requests[1].body["generationConfig"]["responseJsonSchema"]
            assert set(schema["properties"]) == {"reasoning", "next_speaker"}
