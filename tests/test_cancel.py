"""Cancel at every moment: one TurnFinished, a valid history, a session that goes on."""

import asyncio
import threading
from collections.abc import Mapping
from contextlib import aclosing

import pytest

from gemcli.events import (
    ContentCommitted,
    Event,
    QuestionAsked,
    TextDelta,
    ToolCallChanged,
    TurnEnd,
    TurnFinished,
    TurnStarted,
)
from gemcli.kinds import CallStatus
from gemcli.scheduler.scheduler import CANCELLED as CALL_CANCELLED
from gemcli.session.turn import CANCELLED, SILENT
from tests.fake_clock import FakeClock
from tests.fake_gemini import FakeGemini, Reply, call, chunk, fails, says, stalls, text, thought, turn
from tests.support import Running, open_session, running, said, until

OK = turn(text("ok"))


class Slow:
    """A tool that ends when it is cancelled."""

    name = "slow"
    declaration: Mapping[str, object] = {"name": "slow", "description": "", "parametersJsonSchema": {"type": "object"}}

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.ended = asyncio.Event()

    async def run(self, args: Mapping[str, object]) -> str:
        if args.get("quick"):
            return "done"
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return ""


def assert_cancelled(events: list[Event]) -> None:
    assert [event for event in events if isinstance(event, TurnFinished)] == [TurnFinished(TurnEnd.CANCELLED)]
    assert isinstance(events[0], TurnStarted) and isinstance(events[-1], TurnFinished)


def texts(fake: FakeGemini, request: int = -1) -> list[str]:
    return [part["text"] for content in fake.requests[request].contents for part in content["parts"] if "text" in part]


async def test_before_the_first_byte() -> None:
    with FakeGemini(Reply(wait_before=threading.Event()), OK) as fake:
        async with open_session(fake) as session:
            async with running(session, "one") as turn_:
                await fake.seen(1)
                await session.cancel()
                assert_cancelled(await turn_.all())
            assert await asyncio.to_thread(fake.gone.wait, 5), "the connection was left open"
            await said(session, "two")
        assert texts(fake) == ["one", CANCELLED, "two"]


async def test_at_once() -> None:
    with FakeGemini(OK, OK) as fake:
        async with open_session(fake) as session:
            async with running(session, "one") as turn_:
                await asyncio.sleep(0)
                await session.cancel()
                assert_cancelled(await turn_.all())
            await said(session, "two")
        assert texts(fake) == ["one", CANCELLED, "two"]


async def test_in_the_middle_of_text() -> None:
    with FakeGemini(stalls(thought("T"), text("Half "), text("an answer")), OK) as fake:
        async with open_session(fake) as session:
            async with running(session, "one") as turn_:
                await until(lambda: TextDelta("an answer") in turn_.events)
                await session.cancel()
                assert_cancelled(await turn_.all())
            await said(session, "two")
        assert texts(fake) == ["one", "Half an answer", "two"]


async def test_after_a_call_in_an_unfinished_stream() -> None:
    """The call was not committed, so nobody has to answer it."""
    with FakeGemini(says(chunk(text("I "), call("slow")), chunk(text("go")), hold_after=2), OK) as fake:
        async with open_session(fake, tools=[Slow()]) as session:
            async with running(session, "one") as turn_:
                await until(lambda: TextDelta("go") in turn_.events)
                await session.cancel()
                assert_cancelled(await turn_.all())
            await said(session, "two")
        assert texts(fake) == ["one", "I go", "two"]


async def test_while_a_tool_runs() -> None:
    tool = Slow()
    with FakeGemini(turn(call("slow", quick=True), call("slow"), call("slow", n=3)), OK) as fake:
        async with open_session(fake, tools=[tool]) as session:
            async with running(session, "one") as turn_:
                await tool.started.wait()
                await session.cancel()
                events = await turn_.all()
                assert tool.ended.is_set()
            assert_cancelled(events)
            await said(session, "two")
        responses = fake.requests[1].contents[2]["parts"]
        assert [part["functionResponse"]["response"] for part in responses] == [
            {"output": "done"},
            {"error": CALL_CANCELLED},
            {"error": CALL_CANCELLED},
        ]
        assert texts(fake) == ["one", CANCELLED, "two"]
    final = {event.call.call_id: event.call.status for event in events if isinstance(event, ToolCallChanged)}
    assert list(final.values()) == [CallStatus.SUCCESS, CallStatus.CANCELLED, CallStatus.CANCELLED]


async def test_between_the_tool_and_the_next_request() -> None:
    with FakeGemini(turn(call("slow", quick=True)), Reply(wait_before=threading.Event()), OK) as fake:
        async with open_session(fake, tools=[Slow()]) as session:
            async with running(session, "one") as turn_:
                await fake.seen(2)
                await session.cancel()
                assert_cancelled(await turn_.all())
            await said(session, "two")
        assert texts(fake) == ["one", CANCELLED, "two"]


@pytest.mark.parametrize("seconds", ["1", "30"])
async def test_while_waiting_to_try_again(seconds: str) -> None:
    clock = FakeClock(instant=False)
    with FakeGemini(fails(429, retry_after=seconds), OK) as fake:
        async with open_session(fake, clock) as session:
            async with running(session, "one") as turn_:
                await until(lambda: clock.sleeping)
                await session.cancel()
                events = await turn_.all()
            assert_cancelled(events)
            questions = [event.what for event in events if isinstance(event, QuestionAsked)]
            assert not questions or questions[-1] is None
            await said(session, "two")
        assert texts(fake) == ["one", CANCELLED, "two"]


async def test_a_cancel_when_nothing_runs_is_harmless() -> None:
    with FakeGemini(OK, OK) as fake:
        async with open_session(fake) as session:
            await session.cancel()
            await said(session, "one")
            await session.cancel()
            await said(session, "two")
        assert texts(fake) == ["one", "ok", "two"]


async def test_leaving_the_events_early_ends_the_turn() -> None:
    with FakeGemini(stalls(text("Half")), OK) as fake:
        async with open_session(fake) as session:
            async with aclosing(session.send("one")) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        break
            assert len(asyncio.all_tasks()) == 1, "the turn's task is still there"
            await said(session, "two")
        assert texts(fake) == ["one", "Half", "two"]


async def test_two_cancels_at_once() -> None:
    with FakeGemini(stalls(text("Half")), OK) as fake:
        async with open_session(fake) as session, running(session, "one") as turn_:
            await until(lambda: TextDelta("Half") in turn_.events)
            await asyncio.gather(session.cancel(), session.cancel())
            assert_cancelled(await turn_.all())


async def test_a_reader_that_is_cancelled_twice_does_not_lock_the_session() -> None:
    cleaned = asyncio.Event()

    class Stubborn(Slow):
        async def run(self, args: Mapping[str, object]) -> str:
            try:
                return await super().run(args)
            finally:
                await cleaned.wait()  # a tool that takes a moment to clean up

    tool = Stubborn()
    with FakeGemini(turn(call("slow")), OK) as fake:
        async with open_session(fake, tools=[tool]) as session:
            async with running(session, "one") as turn_:
                await tool.started.wait()
                turn_.task.cancel()
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                turn_.task.cancel()
                await asyncio.wait((turn_.task,))
            cleaned.set()
            assert (await said(session, "two"))[-1] == TurnFinished(TurnEnd.DONE)


async def test_every_step_of_a_turn_survives_a_cancel() -> None:
    """Cancel after the n-th pass of the event loop, for every n until the turn ends by itself."""
    reasons: list[TurnEnd] = []
    for steps in range(2, 5000, 7):
        replies = [turn(thought("T"), text("Look: "), call("slow", quick=True)), turn(text("Done.")), OK, OK]
        with FakeGemini(*replies) as fake:
            async with open_session(fake, tools=[Slow()]) as session:
                async with running(session, "one") as turn_:
                    await _passes(steps, turn_)
                    await session.cancel()
                    events = await turn_.all()
                ends = [event for event in events if isinstance(event, TurnFinished)]
                assert len(ends) == 1 and events[-1] is ends[0]
                await said(session, "two")
        # The fake has checked that every request was a valid conversation.
        assert [event for event in events if isinstance(event, ContentCommitted)]
        reasons.append(ends[0].reason)
        if reasons[-1] is TurnEnd.DONE:
            break
    assert reasons[0] is TurnEnd.CANCELLED and reasons[-1] is TurnEnd.DONE


async def _passes(count: int, turn_: Running) -> None:
    for _ in range(count):
        if turn_.task.done():
            return
        await asyncio.sleep(0)


async def test_an_answer_of_nothing_after_a_tool_leaves_a_valid_history() -> None:
    with FakeGemini(turn(call("slow", quick=True)), turn(text("")), OK) as fake:
        async with open_session(fake, tools=[Slow()]) as session:
            await said(session, "one")
            await said(session, "two")
        assert texts(fake) == ["one", SILENT, "two"]
