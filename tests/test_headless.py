"""The program itself, spawned: text output and exit codes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gemcli as package
from tests.fake_gemini import FakeGemini, call, cut_after, fails, text, thought, turn
from tests.support import KEY, Ran, gemcli, program_env

ROOT = Path(__file__).resolve().parent.parent
OK = turn(text("hello"))


def test_an_answer() -> None:
    with FakeGemini(turn(thought("Plan"), text("Hello "), text("wörld ✓ 日本語"))) as fake:
        assert gemcli("-p", "hi", fake=fake) == Ran(0, "Hello wörld ✓ 日本語\n", "")
        assert fake.requests[0].last == {"role": "user", "parts": [{"text": "hi"}]}


def test_the_last_newline_is_not_doubled() -> None:
    with FakeGemini(turn(text("one\n"))) as fake:
        assert gemcli("-p", "hi", fake=fake).out == "one\n"


def test_tools_that_are_not_there_yet() -> None:
    with FakeGemini(turn(text("Let me see."), call("read_file", absolute_path="/x")), turn(text("No."))) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert (ran.code, ran.out) == (0, "Let me see.\nNo.\n")
    assert ran.err == 'Error executing tool read_file: Tool "read_file" not found. No tools are available.\n'


def test_no_credentials() -> None:
    ran = gemcli("-p", "hi")
    assert (ran.code, ran.out) == (41, "")
    assert ran.err.startswith("Error: Not authenticated.\n")
    for name in ("GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"):
        assert name in ran.err


def test_no_input() -> None:
    with FakeGemini() as fake:
        assert gemcli(fake=fake).code == 42
        assert gemcli("-p", "  ", fake=fake).code == 42
        assert fake.requests == []


def test_wrong_arguments() -> None:
    for args in (["--frobnicate"], ["-y", "--approval-mode", "plan", "-p", "x"], ["-o", "xml", "-p", "x"], ["-p"]):
        ran = gemcli(*args)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("Error: ") and ran.err.count("\n") == 2


def test_accepted_flags() -> None:
    with FakeGemini(OK, OK) as fake:
        flags = ["-o", "text", "-m", "gemini-2.5-flash", "--approval-mode", "auto_edit", "--skip-trust"]
        assert gemcli(*flags, "-p", "hi", fake=fake).code == 0
        assert gemcli("--yolo", "-p", "hi", fake=fake).code == 0
        assert "gemini-2.5-flash:" in fake.requests[0].path


def test_the_service_fails() -> None:
    with FakeGemini(fails(400, "mock refusal")) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert (ran.code, ran.out, len(fake.requests)) == (1, "", 1)
    report, error = ran.err.splitlines()
    assert report.startswith("Full report available at: ") and error == "Error: mock refusal"


def test_a_refused_key_is_exit_1() -> None:
    for status, message in ((400, "API key not valid."), (401, "no"), (403, f"bad key {KEY}")):
        with FakeGemini(fails(status, message)) as fake:
            ran = gemcli("-p", "hi", fake=fake)
        assert ran.code == 1 and KEY not in ran.err


def test_waits_are_announced_and_withdrawn_text_is_not_printed() -> None:
    with FakeGemini(fails(429, "Slow down.", retry_after="0.01"), cut_after(1, text("Partial"), text("x")), OK) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert (ran.code, ran.out) == (0, "hello\n")
    first, second = ran.err.splitlines()
    assert first == "Attempt 1 failed: Slow down. Retrying after 10ms..."
    assert re.fullmatch(r"Attempt 2 failed: The connection was lost .+\. Retrying after 1000ms\.\.\.", second)


def test_a_cut_answer_is_said() -> None:
    with FakeGemini(turn(text("Half"), finish="MAX_TOKENS")) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert (ran.code, ran.out) == (0, "Half\n")
    assert ran.err == "[WARNING] The answer was cut: it reached the limit of output tokens. (MAX_TOKENS)\n"


def test_settings_that_are_no_json() -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"model": ')
    ran = gemcli("-p", "hi")
    assert ran.code == 52 and "settings.json" in ran.err


def test_the_model_of_the_settings_and_the_home_of_the_environment() -> None:
    home = Path.home() / "elsewhere"
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini" / "settings.json").write_text('{"model": {"name": "flash"}, "unknown": [1]}')
    with FakeGemini(OK, OK) as fake:
        env = program_env(fake, GEMINI_CLI_HOME=str(home))
        assert gemcli("-p", "hi", env=env).code == 0
        assert gemcli("-p", "hi", env=env | {"GEMINI_MODEL": "gemini-9-x"}).code == 0
        assert [request.path.split("/")[-1].split(":")[0] for request in fake.requests] == [
            "gemini-2.5-flash",
            "gemini-9-x",
        ]


@pytest.mark.parametrize("prompt", ["--yolo", "-m", "--", "-- x", "--help"])
def test_a_prompt_is_never_a_flag(prompt: str) -> None:
    with FakeGemini(OK, OK) as fake:
        assert gemcli("-p", prompt, fake=fake).code == 0
        assert fake.requests[0].last["parts"] == [{"text": prompt}]


def test_odd_surroundings() -> None:
    """No HOME, a home that cannot be written, the C locale: all of it is normal work."""
    home = Path.home()
    home.chmod(0o500)
    with FakeGemini(turn(text("grüße")), turn(text("grüße"))) as fake:
        bare = program_env(fake, HOME=None)
        assert gemcli("-p", "hi", env=bare).out == "grüße\n"
        posix = program_env(fake, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
        ran = gemcli("-p", "größe", env=posix)
        assert (ran.code, ran.out) == (0, "grüße\n")
        assert fake.requests[1].last["parts"] == [{"text": "größe"}]


def test_a_deleted_working_directory() -> None:
    folder = Path.cwd() / "gone"
    folder.mkdir()
    script = f'cd "{folder}" && rmdir "{folder}" && exec "{sys.executable}" -m gemcli -p hi'
    with FakeGemini(OK) as fake:
        env = program_env(fake, PYTHONPATH=str(Path(package.__file__).parent.parent))
        done = subprocess.run(["sh", "-c", script], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (42, "")
    assert done.stderr.startswith("Error: The working directory no longer exists.")


WATCH = """
import os, sys
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["SOCKET_LOG"], "a") as log:
            print(event, args[1] if event == "socket.connect" else args[0], file=log)
sys.addaudithook(watch)
"""


def test_nothing_but_the_endpoint_is_contacted() -> None:
    """A run under a watch on every socket."""
    watch = Path.cwd() / "watch"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH)
    log = watch / "log"
    with FakeGemini(turn(text("a"), call("x")), fails(503, retry_after="0"), turn(text("b"))) as fake:
        env = program_env(fake, PYTHONPATH=f"{watch}:{ROOT}", SOCKET_LOG=str(log))
        assert gemcli("-p", "hi", env=env).code == 0
        lines = set(log.read_text().splitlines())
    assert lines <= {f"socket.connect ('127.0.0.1', {fake.port})", "socket.getaddrinfo 127.0.0.1"}
    assert any("connect" in line for line in lines)


def test_the_key_is_in_no_child_and_no_file() -> None:
    with FakeGemini(fails(400, f"echo {KEY}")) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert KEY not in ran.out + ran.err
    for path in [*Path.home().rglob("*"), *Path.cwd().rglob("*")]:
        assert not path.is_file() or KEY.encode() not in path.read_bytes()
    assert os.environ.get("GEMINI_API_KEY") is None
