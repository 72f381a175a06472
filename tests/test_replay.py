"""Record and replay, and the demo that is made of it."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gemcli.api.replay import Replayer, read_recording
from gemcli.demo import RECORDING
from gemcli.errors import InputError
from gemcli.wire import GenerateRequest
from tests.fake_clock import FakeClock
from tests.fake_gemini import FakeGemini, call, fails, text, thought, turn
from tests.support import KEY, gemcli, program_env
from tests.test_headless import WATCH

ROOT = Path(__file__).resolve().parent.parent


def lines(name: str = "rec.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def test_a_run_is_played_as_it_was() -> None:
    replies = [
        turn(thought("T"), text("Look "), call("nope", x=1)),
        fails(503, retry_after="0"),
        turn(text(f"key {KEY}")),
    ]
    with FakeGemini(*replies) as fake:
        first = gemcli("-p", "hi", "-o", "json", "--record-responses", "rec.jsonl", fake=fake)
    assert first.code == 0
    assert KEY not in Path("rec.jsonl").read_text()
    assert [line.get("method") for line in lines()] == [None, "stream", "stream", "stream"]
    assert lines()[2]["error"]["status"] == 503
    again = [
        gemcli("-p", "hi", "-o", "stream-json", "--fake-responses", "rec.jsonl", env=program_env(None)) for _ in (1, 2)
    ]
    for ran in again:
        events = [json.loads(line) for line in ran.out.splitlines()]
        assert (ran.code, events[-1]["status"]) == (0, "success")
        assert "".join(event.get("content", "") for event in events if event.get("delta")) == "Look key [REDACTED]"
    kinds = [[json.loads(line)["type"] for line in ran.out.splitlines()] for ran in again]
    assert kinds[0] == kinds[1]


def test_the_originals_lines_are_read() -> None:
    chunks = [{"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]}]
    Path("rec.jsonl").write_text(json.dumps({"method": "generateContentStream", "response": chunks}) + "\n")
    assert gemcli("-p", "x", "--fake-responses", "rec.jsonl", env=program_env(None)).out == "Hi.\n"


def test_a_recording_that_ends_too_early() -> None:
    Path("rec.jsonl").write_text('{"recording": 1}\n')
    ran = gemcli("-p", "x", "--fake-responses", "rec.jsonl", env=program_env(None))
    assert ran.code == 1 and "The recording has no further answer." in ran.err


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("{", ":1:"),
        ('{"recording": 1}\n[]', ":2:"),
        ('{"recording": 99}', ":1:"),
        ('{"recording": 1}\n\n{"x": 1}', ":3:"),
        ("[" * 100_000, ":1:"),
        ('{"method": "dance"}', ":1:"),
        ('{"method": "stream", "chunks": ["a"]}', ":1:"),
        ('{"method": "stream", "chunks": [{"after": "x"}]}', ":1:"),
        ('{"method": "stream", "chunks": [{"after": Infinity}]}', ":1:"),
        ('{"method": "stream", "chunks": [{"after": null}]}', ":1:"),
        ('{"method": "stream", "error": "no"}', ":1:"),
        ('{"method": "stream", "error": {"retry_after": "x"}}', ":1:"),
    ],
)
def test_what_is_no_recording(content: str, where: str) -> None:
    Path("rec.jsonl").write_text(content)
    with pytest.raises(InputError, match="no line of a recording") as caught:
        read_recording(Path("rec.jsonl"))
    assert f"rec.jsonl{where}" in caught.value.message


def test_files_that_cannot_be_used() -> None:
    for args in (("--fake-responses", "nowhere"), ("--fake-responses", "."), ("--record-responses", "no/where")):
        ran = gemcli("-p", "x", *args, env=program_env(None, GEMINI_API_KEY=KEY))
        assert ran.code == 42
    assert gemcli("-p", "x", "--fake-responses", "a", "--record-responses", "b").code == 1


def test_what_a_recording_leaves_open_is_filled_in_safely() -> None:
    Path("rec.jsonl").write_text('{"tool": "t", "output": "in ${WORKSPACE}!"}\n')
    found = read_recording(Path("rec.jsonl"), WORKSPACE='/a "quoted"\\path')
    assert found.tool_outputs == [("t", 'in /a "quoted"\\path!')]


def test_an_answer_that_was_cut_short_is_recorded() -> None:
    import random

    words = "".join(random.Random(1).choice("abcdefgh ") for _ in range(60))
    with FakeGemini(turn(*[text(words)] * 12, finish=None), turn(text("Done."))) as fake:
        assert gemcli("-p", "x", "--record-responses", "rec.jsonl", fake=fake).code == 0
    assert len(lines()) == 3
    assert gemcli("-p", "x", "--fake-responses", "rec.jsonl", env=program_env(None)).code == 0
    assert Path("rec.jsonl").stat().st_mode & 0o777 == 0o600


async def test_the_pace() -> None:
    recording = read_recording(RECORDING, WORKSPACE="/w")
    times = [chunk["after"] for chunk in recording.answers["stream"][0]["chunks"]]
    for pace in (1.0, 0.0):
        clock = FakeClock()
        player = Replayer(read_recording(RECORDING, WORKSPACE="/w"), clock, pace)
        chunks = [chunk async for chunk in player.stream(GenerateRequest("m", [], "p"))]
        assert len(chunks) == len(times)
        assert clock.slept == (times if pace else [])
    assert recording.answers["stream"][0]["chunks"][-1]["data"]["candidates"][0]["content"]["parts"][0]["functionCall"][
        "args"
    ] == {"absolute_path": "/w/slug.py"}


# --- the demo -------------------------------------------------------------------------------


def test_the_demo_needs_nothing_and_contacts_nobody() -> None:
    watch = Path.cwd() / "watch"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH)
    log = watch / "log"
    env = program_env(None, PYTHONPATH=f"{watch}:{ROOT}", SOCKET_LOG=str(log), TMPDIR=str(Path.cwd()))
    ran = gemcli("--demo", env=env)
    assert ran.code == 0 and "recording" in ran.err
    assert "Fixed: all three tests pass now." in ran.out
    assert not log.exists()
    assert [path.name for path in Path.cwd().iterdir()] == ["watch"], "the demo left something behind"


def test_the_demo_takes_no_prompt_and_other_formats() -> None:
    assert gemcli("--demo", "-p", "x").code == 1
    value = json.loads(gemcli("--demo", "-o", "json").out)
    assert value["stats"]["tools"]["totalSuccess"] == 5
    assert value["stats"]["tools"]["totalFail"] == 0


def test_the_demo_ignores_settings_and_keys() -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text("{ not json")
    assert gemcli("--demo", env=program_env(None, GEMINI_API_KEY=KEY)).code == 0


def test_the_demo_on_a_terminal_plays_in_time_and_can_be_stopped() -> None:
    master, slave = pty.openpty()
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "gemcli", "--demo"], env=program_env(None), stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    seen = b""
    while b"I look at" not in seen:
        seen += os.read(master, 1000)
    assert time.monotonic() - started > 0.8  # the model thinks for nine tenths of a second first
    process.terminate()
    assert process.wait(5) == 143
    os.close(master)


def test_the_recorded_project_behaves_as_the_recording_says() -> None:
    """The bundled project fails its tests as it is, and passes them with the recorded change."""
    import shutil

    shutil.copytree(RECORDING.parent / "workspace", "slug", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slug.py"]
    before = subprocess.run(command, cwd="slug", capture_output=True, text=True, check=False)
    assert "2 failed, 1 passed" in before.stdout
    calls = [
        part["functionCall"]["args"]
        for line in read_recording(RECORDING, WORKSPACE=str(Path.cwd() / "slug")).answers["stream"]
        for chunk in line["chunks"]
        for part in chunk["data"]["candidates"][0]["content"]["parts"]
        if part.get("functionCall", {}).get("name") == "replace"
    ]
    [change] = calls
    path = Path(change["file_path"])
    source = path.read_text()
    assert source.count(change["old_string"]) == 1
    path.write_text(source.replace(change["old_string"], change["new_string"]))
    after = subprocess.run(command, cwd="slug", capture_output=True, text=True, check=False)
    assert "3 passed" in after.stdout
