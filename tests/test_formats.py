"""What scripts see: each format, whole and valid; each layer of settings; each way to fail."""

import json
import os
import pty
import re
import stat
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemcli.plain.escapes import EscapeFilter, without_escapes
from gemcli.plain.prompt_input import MAX_INPUT
from tests.fake_gemini import FakeGemini, Reply, call, chunk, cut_after, fails, says, text, thought, turn, usage
from tests.support import KEY, Ran, gemcli, program_env

SCHEMAS = Path(__file__).resolve().parent.parent / "docs" / "schemas"
OK = turn(text("hello"))
RICH = turn(thought("Plan", "First."), text("Hello "), text("wörld ✓ 😀"), use=usage(1200, 20, 33, 400, 5))


@cache
def schema(name: str) -> Any:
    value = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(value)
    return jsonschema.Draft202012Validator(value)


def as_json(ran: Ran) -> dict[str, Any]:
    value = json.loads(ran.out)
    schema("json").validate(value)
    return value


def as_error(ran: Ran) -> dict[str, Any]:
    """The object that ends standard error."""
    assert ran.out == ""
    value = json.loads(ran.err[ran.err.index("{\n") :])
    schema("json-error").validate(value)
    return value


def as_events(ran: Ran) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in ran.out.splitlines()]
    for event in events:
        schema("stream-json").validate(event)
    return events


def said(events: list[dict[str, Any]]) -> str:
    """What is left when `discard` has been obeyed."""
    spoken = ""
    for event in events:
        if event["type"] == "message" and event["role"] == "assistant":
            spoken += event["content"]
        elif event["type"] == "error" and event.get("discard"):
            spoken = spoken[: -event["discard"]]
    return spoken


def run(*replies: Reply, args: tuple[str, ...] = (), format: str = "stream-json", **env: str | None) -> Ran:
    with FakeGemini(*replies, last_repeats=True) as fake:
        return gemcli("-p", "hi", "-o", format, "-m", "gemini-2.5-pro", *args, env=program_env(fake, **env))


# --- json -----------------------------------------------------------------------------------


def test_json() -> None:
    value = as_json(run(RICH, format="json"))
    assert list(value) == ["session_id", "response", "stats"]
    assert value["response"] == "Hello wörld ✓ 😀"
    stats = value["stats"]
    model = stats["models"]["gemini-2.5-pro"]
    tokens = {"input": 800, "prompt": 1200, "candidates": 20, "total": 1258, "cached": 400, "thoughts": 33, "tool": 5}
    assert model["tokens"] == tokens
    assert model["roles"]["main"]["tokens"] == tokens
    assert (model["api"]["totalRequests"], model["api"]["totalErrors"]) == (1, 0)
    assert stats["files"] == {"totalLinesAdded": 0, "totalLinesRemoved": 0}
    # 805 fresh and 400 cached tokens of input, 53 of output, at 1.25, 0.125 and 10 dollars a million
    assert stats["cost"]["usd"] == pytest.approx((805 * 1.25 + 400 * 0.125 + 53 * 10) / 1e6)
    assert stats["cost"]["prices_of"].startswith("20")


def test_json_counts_tools_and_retries_and_holds_the_last_text_only() -> None:
    replies = [turn(text("Let me see."), call("nope", x=1)), fails(503, retry_after="0"), turn(text("Done."))]
    ran = run(*replies, format="json")
    value = as_json(ran)
    assert value["response"] == "Done."
    tools = value["stats"]["tools"]
    assert (tools["totalCalls"], tools["totalSuccess"], tools["totalFail"]) == (1, 0, 1)
    assert tools["byName"]["nope"]["count"] == 1
    api = value["stats"]["models"]["gemini-2.5-pro"]["api"]
    assert (api["totalRequests"], api["totalErrors"], api["errorsByType"]) == (3, 1, {"UNAVAILABLE": 1})


def test_json_warnings() -> None:
    value = as_json(run(turn(text("Half"), finish="MAX_TOKENS"), format="json"))
    assert value["warnings"] == ["The answer was cut: it reached the limit of output tokens. (MAX_TOKENS)"]


def test_an_unknown_price_is_said_and_can_be_named() -> None:
    cost = as_json(run(OK, args=("-m", "gemini-99"), format="json"))["stats"]["cost"]
    assert cost["usd"] is None and "gemini-99" in cost["reason"]
    folder = Path.home() / ".gemini"
    folder.mkdir()
    prices = {"billing": {"prices": {"gemini-99": {"input": 1, "output": 2}}}}
    (folder / "settings.json").write_text(json.dumps(prices))
    cost = as_json(run(OK, args=("-m", "gemini-99"), format="json"))["stats"]["cost"]
    assert cost["usd"] == pytest.approx((10 * 1 + 5 * 2) / 1e6)


def test_long_prompts_cost_more() -> None:
    cost = as_json(run(turn(text("x"), use=usage(300_000, 10)), format="json"))["stats"]["cost"]
    assert cost["usd"] == pytest.approx((300_000 * 2.5 + 10 * 15) / 1e6)


# --- stream-json ----------------------------------------------------------------------------


def test_stream_json() -> None:
    ran = run(RICH)
    events = as_events(ran)
    assert [event["type"] for event in events] == ["init", "message", "message", "message", "result"]
    assert list(events[0]) == ["type", "timestamp", "session_id", "model"]
    assert events[0]["model"] == "gemini-2.5-pro"
    assert (events[1]["role"], events[1]["content"]) == ("user", "hi")
    assert said(events) == "Hello wörld ✓ 😀"
    stats = events[-1]["stats"]
    short = {"total_tokens": 1258, "input_tokens": 1200, "output_tokens": 20, "cached": 400, "input": 800}
    assert {name: stats[name] for name in short} == short
    assert stats["models"] == {"gemini-2.5-pro": short}
    assert (stats["tool_calls"], events[-1]["status"], ran.err) == (0, "success", "")


def test_stream_json_tools() -> None:
    ran = run(turn(call("nope", id="fc1", x=1)), OK)
    use, result = [event for event in as_events(ran) if event["type"].startswith("tool")]
    assert (use["tool_name"], use["tool_id"], use["parameters"]) == ("nope", "fc1", {"x": 1})
    assert (result["tool_id"], result["status"]) == ("fc1", "error")
    assert result["error"]["type"] == "tool_not_registered" and "nope" in result["error"]["message"]


def test_withdrawn_text_is_discarded() -> None:
    ran = run(
        turn(text("Keep. "), call("nope")), cut_after(2, text("Drop "), text("me"), text("!")), turn(text("Good."))
    )
    events = as_events(ran)
    [warning] = [event for event in events if event["type"] == "error"]
    assert (warning["severity"], warning["discard"]) == ("warning", len("Drop me"))
    assert said(events) == "Keep. Good."


def test_the_init_event_names_what_was_asked_for() -> None:
    with FakeGemini(OK) as fake:
        events = as_events(gemcli("-p", "hi", "-o", "stream-json", fake=fake))
        assert (events[0]["model"], "gemini-2.5-pro:" in fake.requests[0].path) == ("auto", True)


# --- text -----------------------------------------------------------------------------------


def test_a_terminal_sees_the_words_as_they_come() -> None:
    reply = Reply([chunk(text("First words"))], hold_after=1)
    with FakeGemini(reply) as fake:
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "gemcli", "-p", "hi"]
        process = subprocess.Popen(command, env=program_env(fake), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        seen = b""
        while b"First words" not in seen:
            seen += os.read(master, 1000)
        process.terminate()
        assert process.wait(5) == 143
        os.close(master)


def test_a_terminal_is_told_when_an_answer_starts_again() -> None:
    with FakeGemini(cut_after(1, text("Partial"), text("x")), turn(text("Good."))) as fake:
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "gemcli", "-p", "hi"]
        process = subprocess.Popen(
            command, env=program_env(fake), stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL
        )
        os.close(slave)
        seen = b""
        while b"Good." not in seen:
            seen += os.read(master, 1000)
        process.wait(5)
        os.close(master)
    lines = seen.decode().splitlines()
    assert lines == ["Partial", "[The answer above was interrupted; it starts again.]", "Good."]


# --- escapes --------------------------------------------------------------------------------

EVIL = (
    "\x1b[31mred\x1b[0m and \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b]52;c;aGk=\x1b\\ok "
    "\x9b1mC1 \x1bPq\x1b\\\x1b(B\x00\x7f"
)
HARMLESS = "red and link ok 1mC1 "


@pytest.mark.parametrize("format", ["text", "json", "stream-json"])
def test_escapes_are_taken_out(format: str) -> None:
    pieces = [EVIL[i : i + 3] for i in range(0, len(EVIL), 3)]
    ran = run(turn(*map(text, pieces)), format=format)
    got = {
        "text": lambda: ran.out.removesuffix("\n"),
        "json": lambda: as_json(ran)["response"],
        "stream-json": lambda: said(as_events(ran)),
    }[format]()
    assert got == HARMLESS


@pytest.mark.parametrize(("flags", "warned"), [(("--raw-output",), True), (("--accept-raw-output-risk",), False)])
def test_raw_output(flags: tuple[str, ...], warned: bool) -> None:
    ran = run(turn(text("\x1b[31mred")), args=flags, format="text")
    assert ran.out == "\x1b[31mred\n"
    assert ("--raw-output" in ran.err) is warned


@pytest.mark.parametrize("cut", range(1, len(EVIL)))
def test_a_sequence_cut_in_two_is_one(cut: int) -> None:
    pieces = EscapeFilter()
    assert pieces.feed(EVIL[:cut]) + pieces.feed(EVIL[cut:]) == without_escapes(EVIL) == HARMLESS


def test_an_endless_sequence_is_text() -> None:
    pieces = EscapeFilter()
    got = pieces.feed("\x1b]0;") + "".join(pieces.feed("x" * 100) for _ in range(100))
    assert got + pieces.flush() == "]0;" + "x" * 10_000


def test_nothing_is_swallowed_at_the_end() -> None:
    for format in ("text", "json", "stream-json"):
        ran = run(turn(text("He said â€œhelloâ€\x9d and the answer is 42. \x1b]half")), format=format)
        got = said(as_events(ran)) if format == "stream-json" else ran.out
        assert "â€œhelloâ€ and the answer is 42. ]half" in got


@pytest.mark.parametrize("piece", ["\x1b]", "\x9d", "\x1b[", "\x1b", "\x1bP", "\x9b31", "\x07\x1b]"])
def test_the_filter_takes_time_in_proportion(piece: str) -> None:
    started = time.process_time()
    pieces = EscapeFilter()
    pieces.feed(piece * 100_000)
    pieces.flush()
    assert time.process_time() - started < 3


ESCAPED = st.lists(
    st.one_of(
        st.text("ab\\[]m;0\x07", max_size=4),
        st.sampled_from(["\x1b", "\x9b", "\x9d", "\x1b[", "\x1b]", "\x1b\\", "\x1bP"]),
    )
).map("".join)


@given(ESCAPED, st.data())
def test_any_cut_of_any_text_is_cleaned_alike(whole: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = EscapeFilter()
    got = "".join(pieces.feed(whole[a:b]) for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True))
    assert got + pieces.flush() == without_escapes(whole)
    assert not re.search("[\x1b\x80-\x9f]", without_escapes(whole))


# --- input ----------------------------------------------------------------------------------


def asked(fake: FakeGemini) -> str:
    return fake.requests[0].last["parts"][0]["text"]


@pytest.mark.parametrize(
    ("args", "stdin", "prompt"),
    [
        (["-p", "flag"], b"", "flag"),
        (["-p", "flag"], b"piped\n", "piped\n\nflag"),
        (["some", "words"], b"piped\r\n", "piped\n\nsome words"),
        (["some", "words", "-p", "a", "-p", "b"], b"piped", "piped\n\nsome words\n\na\n\nb"),
        ([], b"only piped\n\n", "only piped"),
        (["-p", "x"], b"  \n ", "x"),
        (["-p", "x"], b"caf\xe9", "caf\ufffd\n\nx"),
        (["/help", "me"], b"", "/help me"),
    ],
)
def test_the_prompt(args: list[str], stdin: bytes, prompt: str) -> None:
    with FakeGemini(OK) as fake:
        assert gemcli(*args, stdin=stdin, fake=fake) == Ran(0, "hello\n", "")
        assert asked(fake) == prompt


def test_a_long_input_is_cut() -> None:
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "end", "-m", "a-model-without-limits", stdin=b"a" * (MAX_INPUT + 10), fake=fake)
        assert ran.code == 0 and "cut after 8 MB" in ran.err
        assert len(asked(fake)) == MAX_INPUT + len("\n\nend")


def test_a_silent_pipe_is_not_waited_for() -> None:
    read, write = os.pipe()
    with FakeGemini(OK) as fake:
        command = [sys.executable, "-m", "gemcli", "-p", "hi"]
        done = subprocess.run(command, env=program_env(fake), stdin=read, capture_output=True, text=True, timeout=8)
        assert (done.returncode, done.stdout, asked(fake)) == (0, "hello\n", "hi")
        assert "Standard input is open and silent" in done.stderr
    os.close(read)
    os.close(write)


def test_a_pipe_that_has_begun_is_read_to_its_end() -> None:
    with FakeGemini(OK) as fake:
        command = [sys.executable, "-m", "gemcli", "-p", "hi"]
        process = subprocess.Popen(command, env=program_env(fake), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(b"one ")
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.8)  # longer than the patience for a silent pipe
        process.communicate(b"two", timeout=5)
        assert asked(fake) == "one two\n\nhi"


@pytest.mark.parametrize("redirect", ["<&-", "< /dev/null", "2>&-"])
def test_odd_descriptors(redirect: str) -> None:
    with FakeGemini(OK) as fake:
        script = f'"{sys.executable}" -m gemcli -p hi {redirect}'
        done = subprocess.run(["sh", "-c", script], env=program_env(fake), capture_output=True, text=True, timeout=8)
        assert (done.returncode, done.stdout) == (0, "hello\n")


def test_both_streams_in_one_keep_their_order() -> None:
    for _ in range(5):
        with FakeGemini(turn(text("one"), call("nope")), turn(text("two"), finish="MAX_TOKENS")) as fake:
            script = f'"{sys.executable}" -m gemcli -p hi 2>&1'
            done = subprocess.run(
                ["sh", "-c", script], env=program_env(fake), capture_output=True, text=True, timeout=8
            )
        assert [line.split()[0] for line in done.stdout.splitlines()] == ["one", "Error", "two", "[WARNING]"]


def test_a_closed_standard_output() -> None:
    with FakeGemini(OK) as fake:
        script = f'"{sys.executable}" -m gemcli -p hi >&-'
        done = subprocess.run(["sh", "-c", script], env=program_env(fake), capture_output=True, text=True, timeout=8)
        assert (done.returncode, fake.requests) == (42, [])
        assert done.stderr.startswith("Error: Standard output is closed.")


# --- failures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "type", "code"),
    [
        (fails(400, "mock refusal"), "INVALID_ARGUMENT", 400),
        (fails(404, "no such model"), "NOT_FOUND", 404),
        (fails(429, "Quota exceeded", quota_id="PerDay"), "RESOURCE_EXHAUSTED", 429),
        (turn(finish="SAFETY"), "SAFETY", 1),
        (says({"promptFeedback": {"blockReason": "OTHER"}}), "OTHER", 1),
    ],
)
def test_a_failing_service(reply: Reply, type: str, code: int) -> None:
    plain = run(reply, format="text")
    assert (plain.code, plain.out) == (1, "")
    assert "Error: " in plain.err
    [path] = re.findall(r"Full report available at: (\S+)", plain.err)
    report = json.loads(Path(path).read_text())
    assert report["error"]["type"] == type
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    Path(path).unlink()

    ran = run(reply, format="json")
    assert ran.code == 1
    error = as_error(ran)["error"]
    assert (error["type"], error["code"]) == (type, code)
    assert ran.err.count('"error"') == 1

    events = as_events(run(reply))
    assert (events[-1]["type"], events[-1]["status"], events[-1]["error"]["type"]) == ("result", "error", type)


@pytest.mark.parametrize("format", ["text", "json", "stream-json"])
def test_output_that_cannot_be_written_is_an_error(format: str) -> None:
    with FakeGemini(OK) as fake:
        script = f'"{sys.executable}" -m gemcli -p hi -o {format} > /dev/full'
        done = subprocess.run(["sh", "-c", script], env=program_env(fake), capture_output=True, text=True, timeout=8)
    assert done.returncode == 1 and "Standard output cannot be written" in done.stderr


def test_a_non_blocking_output_is_written_whole() -> None:
    import fcntl

    big = "".join(f"{n} " for n in range(200_000))
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
    with FakeGemini(turn(text(big))) as fake:
        command = [sys.executable, "-m", "gemcli", "-p", "x"]
        process = subprocess.Popen(command, env=program_env(fake), stdin=subprocess.DEVNULL, stdout=write)
        os.close(write)
        got = bytearray()
        while piece := os.read(read, 1 << 16):
            got += piece
        assert process.wait(5) == 0
    os.close(read)
    assert got.decode() == big + "\n"


@pytest.mark.parametrize("redirect", ["| true", "> /dev/full", "2>&-"])
def test_help_and_version_never_fail(redirect: str) -> None:
    for flag in ("--help", "--version"):
        script = f'"{sys.executable}" -m gemcli {flag} {redirect}'
        done = subprocess.run(["bash", "-o", "pipefail", "-c", script], capture_output=True, text=True, timeout=8)
        assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(["sh", "-c", f'"{sys.executable}" -m gemcli --bad 2>&-'], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")


def test_an_answer_that_was_not_counted_has_no_price() -> None:
    cost = as_json(run(says(chunk(text("x"), finish="STOP")), format="json"))["stats"]["cost"]
    assert cost["usd"] is None and "did not count" in cost["reason"]


def test_odd_counts_do_not_spoil_an_answer() -> None:
    odd = says(chunk(text("x"), finish="STOP", use={"promptTokenCount": -3, "totalTokenCount": "many", "new": 1.5}))
    value = as_json(run(odd, format="json"))
    assert (value["response"], value["stats"]["models"]["gemini-2.5-pro"]["tokens"]["prompt"]) == ("x", 0)
    assert (
        as_json(run(says(chunk(text("y"), finish="STOP") | {"usageMetadata": "odd"}), format="json"))["response"] == "y"
    )


def test_warnings_and_types_hold_no_key() -> None:
    for format in ("json", "stream-json", "text"):
        ran = run(turn(text("x"), finish="OTHER", message=f"key {KEY}"), format=format)
        assert KEY not in ran.out + ran.err and "[REDACTED]" in ran.out + ran.err
        event = {"error": {"code": 400, "status": f"S_{KEY}", "message": f"m {KEY}"}}
        ran = run(says(event), format=format)
        assert ran.code == 1 and KEY not in ran.out + ran.err


def test_json_errors_say_what_to_do() -> None:
    (Path.cwd() / "GEMINI.md").write_text("x")
    assert "--skip-trust" in as_error(gemcli("-p", "hi", "-o", "json"))["error"]["message"]


def test_the_words_for_a_rate_limit() -> None:
    ran = run(fails(429, "Quota exceeded", quota_id="PerDay"), format="text")
    assert "Error: Rate limit exceeded: Quota exceeded\n" in ran.err


def test_the_report_holds_no_key() -> None:
    ran = run(fails(400, f"echo {KEY}"), args=("-p", f"my key is {KEY}"), format="text")
    [path] = re.findall(r"Full report available at: (\S+)", ran.err)
    report = Path(path).read_text()
    assert KEY not in report + ran.err
    assert json.loads(report)["prompt"] == "hi\n\nmy key is [REDACTED]"


@pytest.mark.parametrize("format", ["text", "json", "stream-json"])
@pytest.mark.parametrize(
    ("args", "files", "code", "type"),
    [
        ((), {}, 41, "FatalAuthenticationError"),
        (("-p", " "), {}, 41, "FatalAuthenticationError"),
        (("--sandbox",), {}, 44, "FatalSandboxError"),
        ((), {"home/.gemini/settings.json": "{"}, 52, "FatalConfigError"),
        ((), {"work/GEMINI.md": "x"}, 55, "FatalUntrustedWorkspaceError"),
    ],
)
def test_runs_that_cannot_begin(
    format: str, args: tuple[str, ...], files: dict[str, str], code: int, type: str
) -> None:
    for name, content in files.items():
        path = Path.cwd().parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    ran = gemcli("-p", "hi", "-o", format, *args)
    assert ran.code == code
    match format:
        case "text":
            assert ran.out == "" and ran.err.startswith("Error: ")
        case "json":
            assert (as_error(ran)["error"]["type"], as_error(ran)["error"]["code"]) == (type, code)
        case _:
            [result] = as_events(ran)
            assert (result["type"], result["status"], result["error"]["type"]) == ("result", "error", type)


@pytest.mark.parametrize("format", ["text", "json", "stream-json"])
def test_the_turn_limit(format: str) -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"model": {"maxSessionTurns": 2}}')
    with FakeGemini(turn(call("a")), turn(call("b")), turn(call("c"))) as fake:
        ran = gemcli("-p", "hi", "-o", format, fake=fake)
        assert (ran.code, len(fake.requests)) == (53, 2)
    assert "maxSessionTurns" in ran.err or format == "json"


def test_an_invalid_stream_is_exit_1_in_every_format() -> None:
    bad = turn(text("x"), finish="UNEXPECTED_TOOL_CALL")
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"general": {"maxAttempts": 1}}')
    assert [run(bad, format=format).code for format in ("text", "json", "stream-json")] == [1, 1, 1]


# --- settings at work -----------------------------------------------------------------------


def test_the_layers_in_their_order() -> None:
    """Each place beats those before it."""
    paths = {
        "defaults": Path.cwd().parent / "system-defaults.json",
        "user": Path.home() / ".gemini" / "settings.json",
        "workspace": Path.cwd() / ".gemini" / "settings.json",
        "system": Path.cwd().parent / "system.json",
    }
    with FakeGemini(OK, last_repeats=True) as fake:
        env = program_env(
            fake,
            GEMINI_CLI_SYSTEM_DEFAULTS_PATH=str(paths["defaults"]),
            GEMINI_CLI_SYSTEM_SETTINGS_PATH=str(paths["system"]),
        )
        for name, path in paths.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'{{"model": {{"name": "from-{name}",}}}} // {name}')
            assert gemcli("-p", "hi", "--skip-trust", env=env).code == 0
        assert gemcli("-p", "hi", "--skip-trust", env=env | {"GEMINI_MODEL": "from-env"}).code == 0
        assert gemcli("-p", "hi", "--skip-trust", "-m", "from-flag", env=env | {"GEMINI_MODEL": "from-env"}).code == 0
        models = [request.path.split("/")[-1].split(":")[0] for request in fake.requests]
    assert models == ["from-defaults", "from-user", "from-workspace", "from-system", "from-env", "from-flag"]


def user_settings(values: Any) -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(values if isinstance(values, str) else json.dumps(values))


def test_settings_that_are_honoured() -> None:
    user_settings(
        {"output": {"format": "json"}, "model": {"name": "${WANTED:-flash}"}, "selectedAuthType": "gemini-api-key"}
    )
    with FakeGemini(OK, OK) as fake:
        assert as_json(gemcli("-p", "hi", fake=fake))["response"] == "hello"
        assert gemcli("-p", "hi", "-o", "text", env=program_env(fake, WANTED="pro")).out == "hello\n"
        assert [request.path.split("/")[-1].split(":")[0] for request in fake.requests] == [
            "gemini-2.5-flash",
            "gemini-2.5-pro",
        ]


def test_malformed_settings_have_a_place() -> None:
    user_settings('{\n  "model": {"name": "x"}\n  "ui": {}\n}')
    ran = gemcli("-p", "hi")
    assert ran.code == 52
    assert ran.err.startswith(f"Error: {Path.home()}/.gemini/settings.json:3:3: this is not valid JSON")


def test_a_wrong_type_is_a_warning() -> None:
    user_settings({"model": {"name": 7}})
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "hi", fake=fake)
        assert (ran.code, "gemini-2.5-pro:" in fake.requests[0].path) == (0, True)
    assert ran.err == f"[WARNING] {Path.home()}/.gemini/settings.json: model.name must be a text; it is ignored.\n"


@pytest.mark.parametrize(
    ("settings", "env", "args", "code"),
    [
        ({"tools": {"sandbox": True}}, {}, (), 44),
        ({"tools": {"sandbox": "docker"}}, {}, (), 44),
        ({}, {"GEMINI_SANDBOX": "podman"}, (), 44),
        ({"tools": {"sandbox": True}}, {"GEMINI_SANDBOX": "false"}, (), 0),
        ({"tools": {"sandbox": True}}, {}, ("--no-sandbox",), 0),
        ({"tools": {"sandbox": True}}, {"SANDBOX": "inside"}, (), 44),
        ({"tools": {"sandbox": {"enabled": False}}}, {}, (), 0),
        ({"tools": {"sandbox": {"command": "docker"}}}, {}, (), 44),
        ({"tools": {"sandbox": "false"}}, {}, (), 0),
        ({"security": {"toolSandboxing": True}}, {}, (), 44),
        ({"security": {"auth": {"enforcedType": "vertx-ai"}}}, {}, (), 41),
        ({"security": {"auth": {"selectedType": "gateway"}}}, {}, (), 41),
        ({"billing": {"prices": {"m": {"input": 1}}}}, {}, (), 52),
        ({"security": {"disableYoloMode": True}}, {}, ("--yolo",), 52),
        ({"admin": {"secureModeEnabled": True}}, {}, ("--approval-mode", "yolo"), 52),
        ({"security": {"disableYoloMode": True}}, {}, (), 0),
        ({"security": {"auth": {"enforcedType": "vertex-ai"}}}, {}, (), 41),
        ({"security": {"auth": {"enforcedType": "gemini-api-key"}}}, {}, (), 0),
        ({"general": {"retryFetchErrors": False}}, {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"}, (), 1),
    ],
)
def test_settings_that_refuse(settings: Any, env: dict[str, str], args: tuple[str, ...], code: int) -> None:
    user_settings(settings)
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", *args, env=program_env(fake, **env)).code == code


def test_debug_says_what_is_sent_and_who_set_what() -> None:
    values = {"model": {"name": "flash"}, "mcpServers": {"s": {"env": {"TOKEN": "other-secret"}}}}
    user_settings(values | {"mcp": {"serverCommand": "serve --key $GEMINI_API_KEY"}})
    for args, env in ((("-d",), {}), ((), {"DEBUG": "1"})):
        with FakeGemini(fails(503, retry_after="0"), OK) as fake:
            ran = gemcli("-p", "hi", "-p", f"key {KEY}", *args, env=program_env(fake, **env))
        assert (ran.code, ran.out) == (0, "hello\n")
        assert f'setting model.name = "flash" (from {Path.home()}/.gemini/settings.json)' in ran.err
        assert ran.err.count("request: POST http://127.0.0.1:") == 2 and '"text":"hi' in ran.err
        assert "status 503" in ran.err and "Attempt 1 failed" in ran.err
        [path] = re.findall(r"log file: (\S+)", ran.err)
        log = Path(path)
        assert stat.S_IMODE(log.stat().st_mode) == 0o600 and stat.S_IMODE(log.parent.stat().st_mode) == 0o700
        assert "request: POST" in log.read_text() and "Attempt 1 failed" in log.read_text()
        for secret in (KEY, "other-secret"):
            assert secret not in ran.err + log.read_text()


def test_debug_with_a_home_that_cannot_be_written() -> None:
    home = Path.home() / "not-a-folder"
    home.write_text("")
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "hi", "-d", env=program_env(fake, HOME=str(home)))
    assert (ran.code, ran.out) == (0, "hello\n") and "no log file" in ran.err
