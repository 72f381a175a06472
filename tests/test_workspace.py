"""The workspace: its borders, what it ignores, what it looks like."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gemcli.clock import SystemClock
from gemcli.errors import ToolError
from gemcli.tools.ignore import IgnoreRules
from gemcli.tools.text_file import decode, is_binary, read_bytes
from gemcli.tools.workspace import Ignoring, Workspace, tree


def put(*names: str) -> None:
    for name in names:
        path = Path.cwd() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def here(**ignoring: object) -> Workspace:
    return Workspace([Path.cwd()], Ignoring(**ignoring))  # type: ignore[arg-type]


# --- borders --------------------------------------------------------------------------------


def test_paths_are_resolved_before_they_are_judged() -> None:
    outside = Path.cwd().parent / (Path.cwd().name + "-evil")
    outside.mkdir()
    (Path.cwd() / "link").symlink_to(outside)
    (Path.cwd() / "inside").symlink_to(Path.cwd())
    workspace = here()
    assert workspace.resolve("a/../b") == Path.cwd() / "b"
    assert workspace.resolve("inside/x") == Path.cwd() / "x"
    for name in ("..", "../x", "link/x", str(outside / "x"), "/etc/passwd", "~/x", "a/../../x"):
        with pytest.raises(ToolError, match="Path not in workspace") as caught:
            workspace.resolve(name)
        assert caught.value.type == "path_not_in_workspace"


def test_several_roots() -> None:
    other = Path.cwd().parent / "other"
    other.mkdir()
    workspace = Workspace([Path.cwd(), other, Path.cwd()])
    assert workspace.roots == (Path.cwd(), other)
    assert workspace.resolve(str(other / "x")) == other / "x"


# --- ignoring -------------------------------------------------------------------------------

NAMES = ["a", "b", "ab", "a.txt", "b.log", "x y", "src", "lib", "foo.c", ".env", "[z]"]
PATTERNS = [
    *("a", "*.txt", "/a", "a/", "src/*", "src/**", "**/b", "**/a/**", "!a.txt", "!b", "a/**/b", "*b", "?", "[ab]"),
    *("[!a]", "lib/", "/src/a", "!/src/", "foo.*", r"\!x", "#c", "*.log", "!*.log", "a/b", "**", "*/a", "b/*"),
    *(r"\[z\]", "[[]z]", "[a-b]*", r"x\ y", "  ", "a   "),
]


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize("seed", range(12))
def test_git_agrees(seed: int) -> None:
    """Random trees with random ignore files: the same verdict for every path as `git check-ignore`."""
    pick = random.Random(seed)
    top = Path.cwd()
    env = {"PATH": os.environ["PATH"], "HOME": str(Path.home()), "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "-q", "."], check=True, env=env)
    for _ in range(30):
        path = top.joinpath(*(pick.choice(NAMES) for _ in range(pick.randint(1, 4))))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError:
            continue  # a file stands where a folder was wanted
    folders = [path for path in top.rglob("*") if path.is_dir() and ".git" not in path.parts]
    for folder in [top, *pick.sample(folders, min(2, len(folders)))]:
        (folder / ".gitignore").write_text("\n".join(pick.sample(PATTERNS, pick.randint(1, 5))) + "\n")
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_text(pick.choice(PATTERNS) + "\n")
    paths = [path for path in top.rglob("*") if ".git" not in path.relative_to(top).parts]
    asked = "\0".join(map(str, paths)).encode()
    done = subprocess.run(
        ["git", "check-ignore", "--stdin", "-z"], input=asked, capture_output=True, env=env, check=False
    )
    ignored = set(done.stdout.decode().split("\0"))
    rules = IgnoreRules(top)
    differing = [str(path) for path in paths if rules.ignores(path, path.is_dir()) != (str(path) in ignored)]
    assert differing == []


@pytest.mark.parametrize("pattern", ["*a" * 12 + "*b", "*" * 40 + "b", "[a-z]*" * 12 + "!", "a*?" * 10 + "b"])
def test_patterns_take_time_in_proportion(pattern: str) -> None:
    started = time.process_time()
    Path(".gitignore").write_text(pattern + "\n")
    rules = IgnoreRules(Path.cwd())
    assert rules.ignores(Path.cwd() / ("a" * 200), is_folder=False) is False
    assert time.process_time() - started < 2


def test_which_ignore_files_count() -> None:
    put("git.log", "gemini.log", "mine.log", "kept.log")
    Path(".git").mkdir()
    Path(".gitignore").write_text("git.log\nkept.log\n")
    Path(".geminiignore").write_text("gemini.log\n")
    Path("more").write_text("mine.log\n!kept.log\n")

    def seen(workspace: Workspace) -> set[str]:
        return {path.name for path in workspace.files(Path.cwd()) if path.suffix == ".log"}

    assert seen(here()) == {"mine.log"}
    assert seen(here(more_files=(Path.cwd() / "more",))) == {"kept.log"}
    assert seen(here(use_git=False)) == {"git.log", "mine.log", "kept.log"}
    assert seen(here(use_gemini=False)) == {"gemini.log", "mine.log"}


def test_ignore_files_above_the_root_count() -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("*.log\n")
    put("sub/a.log", "sub/a.txt")
    assert [path.name for path in Workspace([Path.cwd() / "sub"]).files(Path.cwd() / "sub")] == ["a.txt"]


# --- what it looks like ---------------------------------------------------------------------


def test_a_tree() -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("*.pyc\n")
    put("b.txt", "a/z.py", "a/z.pyc", "a/deep/x", "node_modules/p/index.js", "we\nird")
    assert tree(here(), Path.cwd(), SystemClock()).splitlines() == [
        f"{Path.cwd()}/",
        "  a/",
        "    deep/",
        "      x",
        "    z.py",
        "  node_modules/",
        "    …",
        "  .gitignore",
        "  b.txt",
        "  we\\nird",
    ]


def test_a_tree_has_a_limit_and_shows_what_lies_higher_first() -> None:
    put(*(f"d{n}/f{m}" for n in range(4) for m in range(5)))
    lines = tree(here(), Path.cwd(), SystemClock(), 7).splitlines()
    assert len([line for line in lines[1:] if "…" not in line]) == 7
    assert [line for line in lines if line.startswith("  d")] == ["  d0/", "  d1/", "  d2/", "  d3/"]


def test_a_huge_or_circular_tree_costs_a_moment() -> None:
    big = Path.cwd() / "big"
    big.mkdir()
    for n in range(6000):
        (big / f"f{n}").touch()
    (Path.cwd() / "loop").symlink_to(Path.cwd())
    started = time.monotonic()
    lines = tree(here(), Path.cwd(), SystemClock()).splitlines()
    assert time.monotonic() - started < 2
    assert len(lines) <= 205
    assert sum(1 for _ in here().files(Path.cwd())) >= 5000


# --- reading --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("grün".encode(), "grün"),
        (b"\xef\xbb\xbfbom", "bom"),
        ("weit".encode("utf-16"), "weit"),
        ("weit".encode("utf-16-be"), None),
        (b"\xfe\xff\x00h\x00i", "hi"),
        ("x".encode("utf-32"), "x"),
        (b"caf\xe9 \x93quoted\x94", "café “quoted”"),
    ],
)
def test_encodings(data: bytes, text: str | None) -> None:
    if text is None:
        assert is_binary(data)
    else:
        assert decode(data) == text and not is_binary(data)


def test_reading_never_waits_and_never_reads_too_much() -> None:
    os.mkfifo("pipe")
    Path("sparse").touch()
    os.truncate("sparse", 10 * 1024**3)
    for name in ("pipe", ".", "/dev/zero", "/dev/tty"):
        with pytest.raises(OSError):
            read_bytes(Path(name))
    found = read_bytes(Path("sparse"), 100)
    assert (len(found.data), found.is_whole) == (100, False)
