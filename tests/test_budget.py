"""Budgets: said when they are near, kept to when they are reached, side calls counted."""

import json
from pathlib import Path

import pytest

from gemcli.events import Notice, NoticeLevel, TurnEnd, TurnFinished
from gemcli.session.guards import Allowance
from tests.fake_gemini import FakeGemini, call, chunk, json_body, text, turn, usage
from tests.support import gemcli, open_session, said

FULL = usage(prompt=700_000, output=10)


def again(n: int, **use: int) -> list:
    return [turn(call("x", n=k), use=usage(**use)) for k in range(n)]


@pytest.mark.parametrize(
    ("args", "requests", "words"),
    [
        (("--max-turns", "3"), 3, "3 turns of 3 turns (--max-turns)"),
        (("--max-tokens", "3000"), 3, "3,300 tokens of 3,000 tokens (--max-tokens)"),
        (("--budget", "0.004"), 2, "$0.0045 of $0.0040 (--budget)"),
        (("--max-tokens", "99999", "--max-turns", "2"), 2, "(--max-turns)"),
    ],
)
def test_a_hard_stop(args: tuple[str, ...], requests: int, words: str) -> None:
    with FakeGemini(*again(9, prompt=1000, output=100)) as fake:
        ran = gemcli("-p", "go", "-o", "stream-json", *args, fake=fake)
        assert (ran.code, len(fake.requests)) == (56, requests)
    result = json.loads(ran.out.splitlines()[-1])
    assert result["error"]["type"] == "FatalBudgetError" and words in result["error"]["message"]


async def test_a_warning_comes_before() -> None:
    with FakeGemini(*again(9, prompt=400, output=50)) as fake:
        async with open_session(fake, allowance=Allowance(tokens=2000)) as session:
            events = await said(session, "go")
        assert len(fake.requests) == 5
    warnings = [event for event in events if isinstance(event, Notice)]
    words = "The budget is nearly spent: 1,800 tokens of 2,000 tokens (--max-tokens)."
    assert warnings == [Notice(NoticeLevel.WARNING, "budget", words)]


async def test_the_last_turn_is_announced() -> None:
    with FakeGemini(*again(9)) as fake:
        async with open_session(fake, allowance=Allowance(turns=2)) as session:
            events = await said(session, "go")
        assert len(fake.requests) == 2
    assert [event.text for event in events if isinstance(event, Notice)] == [
        "The budget is nearly spent: 1 turns of 2 turns (--max-turns)."
    ]


async def test_a_side_call_is_no_turn_but_is_not_made_beyond_the_budget() -> None:
    asked = json_body(chunk(text('{"reasoning": "r", "next_speaker": "model"}'), finish="STOP", use=usage(10, 5)))
    with FakeGemini(turn(text("a")), asked, turn(text("b")), asked) as fake:
        async with open_session(fake, asks_next_speaker=True, allowance=Allowance(turns=2)) as session:
            end = (await said(session, "go"))[-1]
        assert len(fake.requests) == 3, "the budget was spent before the second side call"
    assert isinstance(end, TurnFinished) and end.error is not None and end.error.exit_code == 56


async def test_failed_attempts_count() -> None:
    bad = turn(text("x"), finish="MALFORMED_FUNCTION_CALL", use=usage(1000, 100))
    with FakeGemini(bad, last_repeats=True) as fake:
        async with open_session(fake, allowance=Allowance(tokens=1000)) as session:
            end = (await said(session, "go"))[-1]
        assert len(fake.requests) == 1
    assert isinstance(end, TurnFinished) and end.error is not None and end.error.exit_code == 56


async def test_tokens_without_a_sum_are_added_up() -> None:
    counts = {"promptTokenCount": 900, "candidatesTokenCount": 200}
    with FakeGemini(*[turn(call("x", n=n), use=counts) for n in range(4)]) as fake:
        async with open_session(fake, allowance=Allowance(tokens=2000)) as session:
            await said(session, "go")
        assert len(fake.requests) == 2


async def test_side_calls_count() -> None:
    """The summary eats what is left, so the main call is not made."""
    big = turn(text("".join(f"{n} " for n in range(900))), use=FULL)
    note = json_body(chunk(text("<state_snapshot>short</state_snapshot>"), finish="STOP", use=usage(400_000, 10)))
    with FakeGemini(turn(text("".join(f"{n}, " for n in range(900)))), big, note) as fake:
        async with open_session(fake, allowance=Allowance(tokens=1_100_000)) as session:
            await said(session, "one")
            await said(session, "two")
            end = (await said(session, "three"))[-1]
        assert len(fake.requests) == 3
    assert isinstance(end, TurnFinished) and end.error is not None
    assert (end.reason, end.error.exit_code) == (TurnEnd.ERROR, 56)


def test_a_budget_needs_a_price() -> None:
    with FakeGemini(turn(text("ok"))) as fake:
        ran = gemcli("-p", "hi", "--budget", "1", "-m", "gemini-99", fake=fake)
        assert (ran.code, fake.requests) == (42, []) and "billing.prices" in ran.err
        folder = Path.home() / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text('{"billing": {"prices": {"gemini-99": {"input": 1, "output": 2}}}}')
        assert gemcli("-p", "hi", "--budget", "1", "-m", "gemini-99", fake=fake).code == 0


@pytest.mark.parametrize(
    "args", [("--budget", "much"), ("--budget", "-1"), ("--max-turns", "1.5"), ("--max-tokens", "nan")]
)
def test_wrong_numbers(args: tuple[str, ...]) -> None:
    assert gemcli("-p", "hi", *args).code == 1


def test_whichever_limit_is_reached_first() -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"model": {"maxSessionTurns": 2}}')
    with FakeGemini(*again(9)) as fake:
        assert gemcli("-p", "go", "--max-turns", "5", fake=fake).code == 53
    with FakeGemini(*again(9)) as fake:
        assert gemcli("-p", "go", "--max-turns", "1", fake=fake).code == 56
