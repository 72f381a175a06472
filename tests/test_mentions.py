"""@path in prompts: files, folders, patterns, pictures; and what is no mention."""

import base64
import os
from pathlib import Path

import pytest

from gemcli.events import Notice, NoticeLevel
from gemcli.session.mentions import MOST_FILES, MOST_TEXT, expand, mentioned
from gemcli.tools.workspace import Workspace
from tests.fake_gemini import FakeGemini, text, turn
from tests.support import gemcli, open_session, said

OK = turn(text("seen"))
PNG = b"\x89PNG\r\n\x1a\n\0"


def put(name: str, content: str | bytes) -> None:
    path = Path.cwd() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def expanded(prompt: str) -> tuple[list[str], list[str]]:
    """The texts after the prompt, and the warnings."""
    result = expand(prompt, Workspace([Path.cwd()]))
    return [part.text or "" for part in result.parts], result.warnings


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("Explain @a.txt please", ["a.txt"]),
        ("@a.txt", ["a.txt"]),
        ("(@a.txt) and [@b/c.py]", ["a.txt)", "b/c.py]"]),
        (r"@my\ file.txt x", ["my file.txt"]),
        ("@\"my file.txt\" and @'b c'", ["my file.txt", "b c"]),
        ("me@example.com and a\\@b @", []),
        ("@a @a", ["a"]),
        ("line\n@./x/y.md\n", ["./x/y.md"]),
    ],
)
def test_what_is_mentioned(prompt: str, names: list[str]) -> None:
    assert mentioned(prompt) == names


def test_a_file_with_its_frame() -> None:
    put("a.txt", "UNIQUE\n")
    assert expanded("Explain @a.txt, please.") == (
        [
            "\n--- Content from referenced files ---",
            "\nContent from @a.txt:\n",
            "UNIQUE\n",
            "\n--- End of content ---",
        ],
        [],
    )


def test_folders_and_patterns_leave_out_what_is_ignored() -> None:
    put(".gitignore", "*.log\n")
    Path(".git").mkdir()
    put("src/a.py", "A")
    put("src/b.log", "B")
    put("src/deep/c.py", "C")
    put("d.py", "D")
    assert sorted(each for each in expanded("@src")[0] if len(each) == 1) == ["A", "C"]
    for pattern, found in {
        "@**/*.py": ["A", "C", "D"],
        "@src/*.py": ["A"],
        "@./src/*.py": ["A"],
        "@*.py": ["D"],
        f"@{Path.cwd()}/src/**/*.py": ["A", "C"],
    }.items():
        assert sorted(each for each in expanded(pattern)[0] if len(each) == 1) == found
    assert expanded("@src/b.log") == (
        [],
        ["@src/b.log: it is ignored here (.gitignore or .geminiignore), so it is not sent."],
    )
    assert expanded("@*.rs") == ([], ["@*.rs: no file matches."])


@pytest.mark.parametrize(
    ("prompt", "warnings"),
    [
        ("@missing.txt", ["@missing.txt: there is no such file in the workspace; it is sent as text."]),
        ("@../outside.txt", ["@../outside.txt: there is no such file in the workspace; it is sent as text."]),
        ("add @property to it", []),
        ("@\0x.txt", ["@\0x.txt: there is no such file in the workspace; it is sent as text."]),
        ("@blob.bin", ["@blob.bin: it is a binary file, so it is not sent."]),
        ("@pipe", ["@pipe: it cannot be read: it is not a regular file."]),
    ],
)
def test_what_stays_text(prompt: str, warnings: list[str]) -> None:
    (Path.cwd().parent / "outside.txt").write_text("SECRET")
    put("blob.bin", b"\0\1\2")
    os.mkfifo("pipe")
    assert expanded(prompt) == ([], warnings)


def test_limits() -> None:
    put("long.txt", "x" * (MOST_TEXT + 1))
    put("empty.txt", "")
    texts, warnings = expanded("@long.txt @empty.txt")
    assert [len(texts[2]), texts[4]] == [MOST_TEXT, "(the file is empty)"]
    assert warnings == [f"@long.txt: only its first {MOST_TEXT} characters are sent."]
    for n in range(MOST_FILES + 5):
        put(f"many/{n}.txt", "x")
    words = f"Only the first {MOST_FILES} of the files named are sent: more is too much for one prompt."
    assert expanded("@many")[1] == [words]


def test_links_do_not_lead_out_or_around_the_ignore_files() -> None:
    (Path.cwd().parent / "outside.txt").write_text("SECRET")
    Path(".git").mkdir()
    put(".gitignore", "hidden.txt\n")
    put("hidden.txt", "HIDDEN")
    put("sub/ok.txt", "fine")
    Path("sub/out.txt").symlink_to(Path.cwd().parent / "outside.txt")
    Path("sub/around.txt").symlink_to(Path.cwd() / "hidden.txt")
    Path("sub/inside.txt").symlink_to(Path.cwd() / "sub" / "ok.txt")
    for prompt in ("@sub", "@sub/*.txt"):
        assert [each for each in expanded(prompt)[0] if each in ("fine", "SECRET", "HIDDEN")] == ["fine", "fine"]


def test_names_that_are_no_utf8_and_deep_folders() -> None:
    odd = Path(os.fsdecode(b"odd/\xff\xfe"))
    odd.mkdir(parents=True)
    (odd / "a.txt").write_text("TEXT")
    texts, _ = expanded("@odd")
    assert "TEXT" in texts and all(each.encode() for each in texts)
    deep = Path("deep")
    for _ in range(600):
        deep.mkdir()
        deep = deep / "d"
    assert expanded("@deep") == ([], [])


def test_what_comes_through_a_pipe_names_no_files() -> None:
    put("secret.txt", "SECRET")
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "review this", stdin=b"+ @secret.txt and @app.get(\n", fake=fake)
        assert fake.requests[0].last["parts"] == [{"text": "+ @secret.txt and @app.get(\n\nreview this"}]
    assert (ran.code, ran.err) == (0, "")


async def test_in_a_session() -> None:
    put("pic.png", PNG)
    with FakeGemini(OK) as fake:
        async with open_session(fake, workspace=Workspace([Path.cwd()])) as session:
            events = await said(session, "What is on @pic.png or @nope.png?")
        assert fake.requests[0].last["parts"] == [
            {"text": "What is on @pic.png or @nope.png?"},
            {"text": "\n--- Content from referenced files ---"},
            {"text": "\nContent from @pic.png:\n"},
            {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}},
            {"text": "\n--- End of content ---"},
        ]
    words = "@nope.png: there is no such file in the workspace; it is sent as text."
    assert Notice(NoticeLevel.WARNING, "context", words) in events


def test_in_a_headless_run() -> None:
    put("a.txt", "UNIQUE-CONTENT\n")
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "Explain @a.txt and @b.txt", fake=fake)
        assert "UNIQUE-CONTENT\n" in [part.get("text") for part in fake.requests[0].last["parts"]]
    assert (ran.code, ran.out) == (0, "seen\n")
    assert ran.err == "[WARNING] @b.txt: there is no such file in the workspace; it is sent as text.\n"
