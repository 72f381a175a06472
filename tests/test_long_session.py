"""Hundreds of turns: valid on the wire through several compressions, at a cost that does not grow."""

import asyncio
from collections.abc import Mapping

import pytest

from gemcli.events import HistoryCompressed, TurnEnd, TurnFinished
from tests.fake_gemini import FakeGemini, Reply, call, chunk, json_body, text, thought, turn, usage
from tests.support import open_session, said

TURNS = 400
LIMIT = 1_048_576


class Look:
    name = "look"
    declaration: Mapping[str, object] = {"name": "look"}

    async def run(self, args: Mapping[str, object]) -> str:
        await asyncio.sleep(0)
        return f"result {args['n']} " * 20


def replies() -> list[Reply]:
    """One prompt: a chain of calls whose prompts grow until they pass the threshold, are summed up, and grow again."""
    made: list[Reply] = []
    size = 50_000
    for number in range(TURNS):
        size += 6000
        parts = [thought("T", "hidden"), text(f"Step {number}. ", signature=f"s{number}"), call("look", n=number)]
        made.append(turn(*parts, use=usage(prompt=size)))
        if size >= LIMIT * 0.5:
            summary = "<state_snapshot>what was done so far</state_snapshot>"
            made.append(json_body(chunk(text(summary), finish="STOP", use=usage(500, 20))))
            size = 50_000
    return [*made, turn(text("All done."))]


@pytest.mark.timeout(60)
async def test_four_hundred_turns_stay_valid() -> None:
    """The fake refuses a request in which a call has no response, roles do not alternate, or a thought is sent back."""
    script = replies()
    with FakeGemini(*script) as fake:
        async with open_session(fake, tools=[Look()], system_prompt="Be good.") as session:
            events = await said(session, "go")
        assert events[-1] == TurnFinished(TurnEnd.DONE)
        assert len(fake.requests) == len(script)
        assert "hidden" not in fake.requests[-1].raw.decode()
    compressions = [event.status for event in events if isinstance(event, HistoryCompressed)]
    assert len(compressions) >= 4 and set(compressions) == {"compressed"}
    sizes = [len(request.raw) for request in fake.generated]
    assert max(sizes[TURNS // 2 :]) <= max(sizes[: TURNS // 2]) * 1.2
