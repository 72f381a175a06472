"""--output-schema: the final answer is JSON that validates, or the run says that it is not."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gemcli.session.answer_schema import CORRECTION, unfenced
from gemcli.session.turn import SILENT
from tests.fake_gemini import FakeGemini, Reply, call, cut_after, fails, text, turn
from tests.support import Ran, gemcli, program_env
from tests.test_formats import as_error, as_events, as_json, said

SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["summary", "n"],
}
GOOD = '{"summary": "ok", "n": 3}'


def run(*replies: Reply, format: str = "text") -> tuple[Ran, FakeGemini]:
    Path("schema.json").write_text(json.dumps(SCHEMA))
    with FakeGemini(*replies) as fake:
        return gemcli("-p", "go", "-o", format, "--output-schema", "schema.json", fake=fake), fake


@pytest.mark.parametrize("answer", [GOOD, f"```json\n{GOOD}\n```", f"\n```\n{GOOD}\n```\n", f"  {GOOD}\n"])
def test_a_good_answer(answer: str) -> None:
    ran, fake = run(turn(text(answer)))
    assert ran == Ran(0, GOOD + "\n", "")
    assert '"summary"' in fake.requests[0].body["systemInstruction"]["parts"][0]["text"]


def test_formats() -> None:
    assert as_json(run(turn(text(f"```json\n{GOOD}\n```")), format="json")[0])["response"] == GOOD
    assert said(as_events(run(turn(text(GOOD[:9]), text(GOOD[9:])), format="stream-json")[0])) == GOOD


def test_after_tools_and_retries_only_the_final_answer_counts() -> None:
    ran, _ = run(turn(text("Looking."), call("x")), cut_after(1, text("half"), text("x")), turn(text(GOOD)))
    assert (ran.code, ran.out) == (0, GOOD + "\n")


def test_one_correction() -> None:
    ran, fake = run(turn(text("Here you are: {")), turn(text(GOOD)))
    assert (ran.code, ran.out) == (0, GOOD + "\n")
    asked = fake.requests[1].last["parts"][0]["text"]
    assert asked.startswith(CORRECTION.split("{")[0])


@pytest.mark.parametrize("bad", ['{"summary": "x"}', '{"summary": 1, "n": 3}', "no json", "[1]"])
def test_then_it_fails_with_the_raw_text_kept(bad: str) -> None:
    replies = (turn(text("first")), turn(text(bad)))
    ran, fake = run(*replies)
    assert (ran.code, ran.out, len(fake.requests)) == (1, bad + "\n", 2)
    assert "Error: Failed to parse Gemini response" in ran.err
    error = as_error(run(*replies, format="json")[0])["error"]
    assert error["raw"] == bad and error["message"].startswith("Failed to parse Gemini response")
    events = as_events(run(*replies, format="stream-json")[0])
    assert (said(events), events[-1]["status"]) == (bad, "error")


def test_a_service_that_fails() -> None:
    ran, _ = run(fails(400, "mock refusal"), format="json")
    assert (ran.code, as_error(ran)["error"]["message"]) == (1, "mock refusal")


def test_an_empty_final_answer_is_no_json() -> None:
    ran, fake = run(turn(call("x")), turn(text("")), turn(text(GOOD)))
    assert (ran.code, ran.out, len(fake.requests)) == (0, GOOD + "\n", 3)
    assert fake.requests[2].contents[-2]["parts"] == [{"text": SILENT}]


PATTERN = {"type": "string", "pattern": "^(a+)+$"}


def test_patterns_are_judged_apart() -> None:
    Path("schema.json").write_text(json.dumps(PATTERN))
    for answer, code in (('"aaa"', 0), ('"b"', 1)):
        with FakeGemini(turn(text(answer)), turn(text(answer))) as fake:
            assert gemcli("-p", "go", "--output-schema", "schema.json", fake=fake).code == code


def test_a_pattern_that_never_ends_can_be_stopped() -> None:
    Path("schema.json").write_text(json.dumps(PATTERN))
    with FakeGemini(turn(text('"' + "a" * 60 + '!"'))) as fake:
        command = [sys.executable, "-m", "gemcli", "-p", "x", "--output-schema", "schema.json"]
        process = subprocess.Popen(command, env=program_env(fake), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + 8
        while not children.read_text().strip():
            assert time.monotonic() < end
        process.terminate()
        assert process.wait(5) == 143
        process.communicate()


def test_a_correction_sends_no_files() -> None:
    Path("secret.txt").write_text("SECRET")
    ran, fake = run(turn(text('"@secret.txt"')), turn(text(GOOD)))
    assert ran.code == 0 and "SECRET" not in fake.requests[1].raw.decode()


def test_a_long_list_is_no_loop() -> None:
    value = [{"severity": "warning", "category": "style", "message": "line is too long", "line": n} for n in range(60)]
    Path("schema.json").write_text('{"type": "array"}')
    with FakeGemini(turn(text(json.dumps(value)))) as fake:
        assert gemcli("-p", "go", "--output-schema", "schema.json", fake=fake).code == 0


REFERENCES = ['{"$ref": "http://127.0.0.1:9/x.json"}', '{"$ref": "#/nope"}', '{"$ref": "#"}', '{"$schema": 5}']


@pytest.mark.parametrize("content", [None, "{", "[]", '{"type": "nonsense"}', '{"type": 5}', *REFERENCES])
def test_schemas_that_cannot_be_used(content: str | None) -> None:
    if content is not None:
        Path("schema.json").write_text(content)
    with FakeGemini() as fake:
        ran = gemcli("-p", "x", "--output-schema", "schema.json", fake=fake)
        assert (ran.code, fake.requests) == (42, [])


def test_fences() -> None:
    for fenced in ("```json\n{}\n```", "```\r\n{}\r\n```", "``` json\n{}```", "~~~\n{}\n~~~", " ````\n{}\n````\n"):
        assert unfenced(fenced) == "{}"
    assert unfenced(" " * 300_000 + "x") == "x"
    assert unfenced('{"a": "```json\\n"}') == '{"a": "```json\\n"}'
