"""Signals at every moment, slow readers, readers that go away: the right code, the whole output, no traceback."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fake_gemini import FakeGemini, Reply, chunk, fails, stalls, text, turn
from tests.support import program_env

SIGNALS = pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"]
)
FORMATS = pytest.mark.parametrize("format", ["text", "json", "stream-json"])
F_SETPIPE_SZ = 1031
WORDS = {130: "Operation cancelled.", 143: "Terminated."}


@contextmanager
def spawn(fake: FakeGemini, *args: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "gemcli", *args]
    process = subprocess.Popen(
        command, env=program_env(fake), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[bytes], number: int) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=5)
    assert b"Traceback" not in out + err
    return process.returncode, out.decode(), err.decode()


def check(format: str, code: int, out: str, err: str, said: str = "") -> None:
    match format:
        case "text":
            assert (out, err.splitlines()[-1]) == (said and said + "\n", WORDS[code])
        case "json":
            assert out == "" and json.loads(err[err.index("{\n") :])["error"]["code"] == code
        case _:
            last = json.loads(out.splitlines()[-1])
            assert (last["type"], last["status"], last["error"]["code"]) == ("result", "error", code)


@SIGNALS
@FORMATS
def test_while_the_prompt_is_read(number: int, code: int, format: str) -> None:
    read, write = os.pipe()
    with FakeGemini() as fake, spawn(fake, "-o", format, stdin=read) as process:
        os.write(write, b"half a prompt")
        wait_for_reader(write)
        got, out, err = ended(process, number)
    os.close(read)
    os.close(write)
    assert (got, fake.requests) == (code, [])
    check(format, code, out, err)


def wait_for_reader(write: int) -> None:
    """Until the pipe has been emptied: the program is up and reading."""
    import struct
    import termios

    end = time.monotonic() + 5
    while struct.unpack("i", fcntl.ioctl(write, termios.FIONREAD, b"\0" * 4))[0]:
        assert time.monotonic() < end
        time.sleep(0.005)


@SIGNALS
@FORMATS
def test_before_the_first_byte(number: int, code: int, format: str) -> None:
    with FakeGemini(Reply(wait_before=threading.Event())) as fake, spawn(fake, "-p", "x", "-o", format) as process:
        fake.wait_for(1)
        got, out, err = ended(process, number)
    assert got == code
    check(format, code, out, err)


@SIGNALS
@FORMATS
def test_in_the_middle_of_the_answer(number: int, code: int, format: str) -> None:
    """What was said by then is printed."""
    reply = Reply([chunk(text("Half an answer"))], hold_after=1)
    with FakeGemini(reply) as fake, spawn(fake, "-p", "x", "-o", format) as process:
        assert reply.sent.wait(5)
        if format == "stream-json":
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            assert b"Half an answer" in lines[2]
            got, out, err = ended(process, number)
            assert got == code
            check(format, code, out, err)
            return
        seen = wait_until_read(fake)
        got, out, err = ended(process, number)
    assert got == code and seen
    check(format, code, out, err, "Half an answer")


def wait_until_read(fake: FakeGemini) -> bool:
    """Until the program has taken the bytes of the answer from its socket."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        mine = [row for row in rows if row[2].endswith(f":{fake.port:04X}") and row[3] == "01"]
        if mine and all(row[4] == "00000000:00000000" for row in mine):
            return True
        time.sleep(0.005)
    return False


@SIGNALS
@FORMATS
def test_while_waiting_to_try_again(number: int, code: int, format: str) -> None:
    with (
        FakeGemini(fails(429, "Slow down.", retry_after="60")) as fake,
        spawn(fake, "-p", "x", "-o", format) as process,
    ):
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Attempt 1 failed: Slow down.")
        got, out, err = ended(process, number)
    assert got == code
    check(format, code, out, err)


@SIGNALS
def test_while_nobody_reads_the_output(number: int, code: int) -> None:
    """A pipe that is full and not read must not keep the program from going."""
    with FakeGemini(turn(text("x" * 3_000_000))) as fake, spawn(fake, "-p", "x") as process:
        assert process.stdout is not None
        process.stdout.read(1)
        started = time.monotonic()
        process.send_signal(number)
        assert process.wait(5) == code
        assert time.monotonic() - started < 4


def test_a_slow_reader_gets_everything() -> None:
    big = "".join(f"{n:07d} the quick brown fox jumps over the lazy dog\n" for n in range(200_000))  # 10 MB
    pieces = [text(big[i : i + 500_000]) for i in range(0, len(big), 500_000)]
    with FakeGemini(turn(*pieces)) as fake, spawn(fake, "-p", "x") as process:
        assert process.stdout is not None
        fcntl.fcntl(process.stdout.fileno(), F_SETPIPE_SZ, 4096)
        got = bytearray()
        while piece := os.read(process.stdout.fileno(), 1 << 16):
            got += piece
        assert process.wait(5) == 0
    assert got.decode() == big


def test_a_reader_that_goes_away_ends_the_run() -> None:
    lines = "".join(f"line {n}\n" for n in range(60_000))
    whole = turn(text(lines))
    endless = Reply([chunk(text(lines[n * 10_000 : (n + 1) * 10_000])) for n in range(50)], hold_after=50)
    for format, reply in (("text", whole), ("json", whole), ("stream-json", endless)):
        with FakeGemini(reply) as fake, spawn(fake, "-p", "x", "-o", format) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.wait(5) == 0
            assert process.stderr.read() == b""


def test_ctrl_c_on_a_terminal() -> None:
    """The key itself, through a terminal, with a session of its own."""
    import pty

    reply = stalls(text("Half"))
    with FakeGemini(reply) as fake:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "gemcli", "-p", "x"], program_env(fake))
        seen = b""
        while b"Half" not in seen:
            seen += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130


def test_ctrl_c_while_a_token_is_fetched() -> None:
    """A thread that waits for somebody else must not keep the program."""
    import json as json_module
    import socket

    with socket.socket() as silent, FakeGemini() as fake:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        subject = Path.home() / "subject.txt"
        subject.write_text("x")
        adc = Path.home() / "adc.json"
        account = {
            "type": "external_account",
            "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "token_url": f"http://127.0.0.1:{silent.getsockname()[1]}/token",
            "credential_source": {"file": str(subject)},
        }
        adc.write_text(json_module.dumps(account))
        env = program_env(fake, GEMINI_API_KEY=None) | {
            "GOOGLE_GENAI_USE_VERTEXAI": "true",
            "GOOGLE_CLOUD_PROJECT": "p",
            "GOOGLE_CLOUD_LOCATION": "l",
            "GOOGLE_VERTEX_BASE_URL": fake.url,
            "GOOGLE_APPLICATION_CREDENTIALS": str(adc),
        }
        command = [sys.executable, "-m", "gemcli", "-p", "x"]
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        connection, _ = silent.accept()
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
        assert time.monotonic() - started < 2
        connection.close()
        assert process.stderr is not None
        assert process.stderr.read() == b"Operation cancelled.\n"
        process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_we_are_loading_is_handled_when_we_are_up(number: signal.Signals) -> None:
    with (
        FakeGemini(Reply(wait_before=threading.Event())) as fake,
        spawn(fake, "-p", "x", "-o", "stream-json") as process,
    ):
        status, end = Path(f"/proc/{process.pid}/status"), time.monotonic() + 5
        while not _blocks(status.read_text(), number):
            assert time.monotonic() < end, "the program never began to load"
        got, out, err = ended(process, number)
    assert (got, fake.requests) == (130 if number is signal.SIGINT else 143, [])
    assert json.loads(out.splitlines()[-1])["type"] == "result"
    assert err in ("Operation cancelled.\n", "Terminated.\n")


def _blocks(status: str, number: int) -> bool:
    [mask] = [line.split()[1] for line in status.splitlines() if line.startswith("SigBlk")]
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_an_ignored_interrupt_stays_ignored() -> None:
    reply = stalls(text("Half"))
    with FakeGemini(reply) as fake:
        command = ["sh", "-c", f"trap '' INT; exec {sys.executable} -m gemcli -p x"]
        process = subprocess.Popen(command, env=program_env(fake), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert reply.sent.wait(5)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 143
        process.communicate()
