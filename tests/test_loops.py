"""Loops: noticed, told to the model once, then stopped; and what only looks like one."""

import asyncio
import random
from collections.abc import Mapping

import pytest

from gemcli.events import Choice, Chosen, Notice, NoticeLevel, QuestionAsked, TurnEnd, TurnFinished
from gemcli.scheduler.call import ToolCall
from gemcli.session.loops import LoopDetector
from gemcli.session.turn import GO_ON, GOING_ON, RECOVERY, STOP
from tests.fake_gemini import FakeGemini, call, chunk, says, text, turn
from tests.support import gemcli, open_session, running, said, until

SAME = '"count" was called 5 times with the same arguments and the same result'
WORDS = "the same words came 10 times"
SENTENCE = "I will now look at the file again to see what is in there. "


def filler(seed: int, length: int) -> str:
    pick = random.Random(seed)
    return "".join(pick.choice("abcdefghijklm nopqrs tuvwxyz") for _ in range(length))


class Count:
    name = "count"
    declaration: Mapping[str, object] = {"name": "count"}

    def __init__(self) -> None:
        self.calls = 0

    async def run(self, args: Mapping[str, object]) -> str:
        self.calls += 1
        return str(self.calls) if args.get("grows") else "one"


def detect(*names: str) -> list[int]:
    """At which call a loop is found, when each call has the result of its name."""
    detector = LoopDetector()
    found = []
    for number, name in enumerate(names, 1):
        made = ToolCall("id", name, {})
        if detector.called([made], [made.output(name)]):
            found.append(number)
    return found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("aaaa", []),
        ("aaaaa", [5]),
        ("aaaabaaaa", []),
        ("ababababab", [10]),
        ("abcabcabcabcabc", [15]),
        ("abcdeabcdeabcdeabcdeabcde", [25]),
        ("abcdefabcdefabcdefabcdefabcdef", []),
        ("xyzaaaaa", [8]),
        ("aaaaaaaaaa", [5, 10]),
    ],
)
def test_cycles_of_calls(names: str, found: list[int]) -> None:
    assert detect(*names) == found


def spoken(*pieces: str) -> str:
    detector = LoopDetector()
    return next((found for piece in pieces if (found := detector.said(piece))), "")


def test_repeated_passages() -> None:
    """Longer than the distance at which single phrases count."""
    passage = filler(1, 700) + "\n\n"
    assert spoken(passage * 9) == ""
    assert spoken(passage * 11) == WORDS
    assert spoken(*[passage] * 11) == WORDS


def test_repeated_words() -> None:
    assert spoken(*[SENTENCE] * 9) == ""
    assert spoken(*[SENTENCE] * 12) == WORDS
    assert spoken(SENTENCE * 12) == WORDS
    assert spoken(*(SENTENCE * 12)) == WORDS
    assert spoken(*(SENTENCE + filler(n, 300) for n in range(30))) == ""  # too far apart


@pytest.mark.parametrize(
    "answer",
    [
        "```\n" + f"{SENTENCE}\n" * 20 + "```\n",
        "````\n```\n" + f"{SENTENCE}\n" * 20 + "```\n````\n",
        '[{"a": "' + SENTENCE + '"}, ' * 20,
        f"- {SENTENCE}\n" * 20,
        f"| {SENTENCE} | x |\n" * 20,
        f"{'-' * 60}\n" * 20,
        f"> {SENTENCE}\n" * 20,
        f"1. {SENTENCE}\n" * 20,
        "".join(filler(n, 80) + "\n" for n in range(50)),
    ],
)
def test_what_only_looks_like_a_loop(answer: str) -> None:
    assert spoken(answer) == ""
    assert spoken(*answer) == ""


async def test_the_model_is_told_once_and_then_it_stops() -> None:
    with FakeGemini(turn(call("count")), last_repeats=True) as fake:
        async with open_session(fake, tools=[Count()]) as session, running(session, "go") as turn_:
            await until(lambda: any(isinstance(event, QuestionAsked) for event in turn_.events))
            assert len(fake.requests) == 10
            assert fake.requests[5].last["parts"][-1] == {"text": RECOVERY.format(loop=SAME)}
            session.answer("question-1", Chosen(STOP))
            events = await turn_.all()
    notice = Notice(NoticeLevel.WARNING, "loop", f"A loop was detected: {SAME}. The model is told so.")
    assert notice in events
    question = Choice("The model goes round in circles", f"Again, {SAME}.", (STOP, GO_ON), default=STOP)
    assert QuestionAsked("question-1", question) in events
    end = events[-1]
    assert isinstance(end, TurnFinished) and end.error is not None
    assert (end.reason, end.error.exit_code, end.error.type) == (TurnEnd.ERROR, 53, "LoopDetected")


async def test_a_person_may_let_it_go_on() -> None:
    replies = [turn(call("count"))] * 15 + [turn(text("Done."))]
    with FakeGemini(*replies) as fake:
        async with open_session(fake, tools=[Count()]) as session, running(session, "go") as turn_:
            await until(lambda: any(isinstance(event, QuestionAsked) for event in turn_.events))
            session.answer("question-1", Chosen(GO_ON))
            assert (await turn_.all())[-1] == TurnFinished(TurnEnd.DONE)
        assert fake.requests[10].last["parts"][-1] == {"text": GOING_ON.format(loop=SAME)}


async def test_results_that_change_are_no_loop() -> None:
    replies = [turn(call("count", grows=True))] * 12 + [turn(text("Done."))]
    with FakeGemini(*replies) as fake:
        async with open_session(fake, tools=[Count()]) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == 13


async def test_repeated_words_cut_the_stream() -> None:
    """The words stay, the connection does not; the model is told."""
    endless = says(*(chunk(text(SENTENCE)) for _ in range(12)), hold_after=12)
    with FakeGemini(endless, turn(text("Done."))) as fake:
        async with open_session(fake) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)
        assert await asyncio.to_thread(fake.gone.wait, 5)
        contents = fake.requests[1].contents
        assert contents[1]["parts"][0]["text"].startswith(SENTENCE * 10)
        assert contents[2]["parts"] == [{"text": RECOVERY.format(loop=WORDS)}]


async def test_detection_can_be_switched_off() -> None:
    replies = [turn(call("count"))] * 12 + [turn(text(SENTENCE * 20))]
    with FakeGemini(*replies) as fake:
        async with open_session(fake, tools=[Count()], detects_loops=False) as session:
            assert (await said(session, "go"))[-1] == TurnFinished(TurnEnd.DONE)


def test_headless_stops_with_53_and_says_so() -> None:
    with FakeGemini(turn(call("nope")), last_repeats=True) as fake:
        ran = gemcli("-p", "go", fake=fake)
        assert (ran.code, len(fake.requests)) == (53, 10)
    assert "Error: Loop detected, stopping execution" in ran.err
