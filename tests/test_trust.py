"""Trust and .env files: nothing of a folder is read before somebody has said yes to it."""

import json
from pathlib import Path

import pytest

from gemcli.config.dotenv import find_project_env, parse_dotenv
from gemcli.config.trust import TrustedFolders, Word
from tests.fake_gemini import FakeGemini, text, turn
from tests.support import KEY, gemcli, program_env

OK = turn(text("hello"))


@pytest.mark.parametrize(
    ("words", "folder", "trusted"),
    [
        ({}, "/a/b", False),
        ({"/a/b": "TRUST_FOLDER"}, "/a/b", True),
        ({"/a/b": "TRUST_FOLDER"}, "/a/b/c/d", True),
        ({"/a/b": "TRUST_FOLDER"}, "/a", False),
        ({"/a/b": "TRUST_FOLDER"}, "/a/b-evil", False),
        ({"/a/b": "TRUST_PARENT"}, "/a/x", True),
        ({"/a/b": "TRUST_PARENT"}, "/x", False),
        ({"/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST"}, "/a/b/c", False),
        ({"/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST", "/a/b/c": "TRUST_FOLDER"}, "/a/b/c", True),
        ({"/a/b": "DO_NOT_TRUST"}, "/a/b", False),
    ],
)
def test_the_most_particular_word_counts(words: dict[str, str], folder: str, trusted: bool) -> None:
    folders = TrustedFolders({Path(path): Word(word) for path, word in words.items()})
    assert folders.trusts(Path(folder)) is trusted


def test_a_link_is_its_target() -> None:
    good, evil = Path.cwd() / "good", Path.cwd() / "evil"
    evil.mkdir()
    good.symlink_to(evil)
    folders = TrustedFolders({Path.cwd().resolve() / "good": Word.FOLDER})
    assert folders.trusts(good) is False


CANARY = {"model": {"name": "canary-model"}, "hooks": {"SessionStart": [{"command": "touch canary"}]}}
THINGS = {
    ".gemini/settings.json": json.dumps(CANARY),
    ".gemini/.env": "GEMINI_MODEL=canary-model\n",
    ".env": "GEMINI_MODEL=canary-model\n",
    "GEMINI.md": "canary\n",
    ".gemini/commands/x.toml": "canary\n",
}


def put(name: str, content: str) -> None:
    path = Path.cwd() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@pytest.mark.parametrize("name", THINGS)
def test_an_untrusted_folder_is_not_read(name: str) -> None:
    """A listener in the folder's own settings would be contacted if they were read; nothing is."""
    put(name, THINGS[name])
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "hi", "-y", fake=fake)
        assert (ran.code, ran.out, fake.requests) == (55, "", [])
    found = name if name.startswith(".gemini/") and name.count("/") == 1 else name.rsplit("/", 1)[0]
    assert (found if "/" in name else name) in ran.err
    assert "--skip-trust" in ran.err and "canary" not in ran.err
    assert not Path("canary").exists()


def test_a_folder_above_in_the_same_project_counts() -> None:
    (Path.cwd() / ".git").mkdir()
    put("GEMINI.md", "canary")
    below = Path.cwd() / "below"
    below.mkdir()
    import os

    os.chdir(below)
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "hi", fake=fake)
    assert ran.code == 55 and "GEMINI.md" in ran.err


def test_a_folder_with_nothing_to_trust_needs_none() -> None:
    put("README.md", "x")
    (Path.cwd() / ".gemini").mkdir()
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", fake=fake).code == 0


def trusts(**words: str) -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "trustedFolders.json").write_text(json.dumps(words))


@pytest.mark.parametrize("way", ["file", "flag", "variable", "setting"])
def test_ways_to_trust(way: str) -> None:
    for name, content in THINGS.items():
        put(name, content)
    args: list[str] = []
    env: dict[str, str] = {}
    match way:
        case "file":
            trusts(**{str(Path.cwd()): "TRUST_FOLDER"})
        case "flag":
            args = ["--skip-trust"]
        case "variable":
            env = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        case _:
            trusts()
            (Path.home() / ".gemini" / "settings.json").write_text('{"security": {"folderTrust": {"enabled": false}}}')
    with FakeGemini(OK) as fake:
        ran = gemcli(*args, "-p", "hi", env=program_env(fake, **env))
        assert ran.code == 0
        assert "canary-model" in fake.requests[0].path
    assert "Hooks are configured and do not run yet: SessionStart." in ran.err


def test_a_folder_cannot_say_that_it_is_trusted() -> None:
    put(".gemini/settings.json", '{"security": {"folderTrust": {"enabled": false}}}')
    put(".env", "GEMINI_CLI_TRUST_WORKSPACE=true\n")
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", fake=fake).code == 55


def test_a_trust_file_that_is_no_json() -> None:
    trusts()
    (Path.home() / ".gemini" / "trustedFolders.json").write_text("{\n oops")
    ran = gemcli("-p", "hi")
    assert ran.code == 52 and "trustedFolders.json:2:2" in ran.err


# --- .env -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text_", "values"),
    [
        ("A=1", {"A": "1"}),
        ("A = 1 # comment\n#B=2\n\nexport C=3", {"A": "1", "C": "3"}),
        ("A='x # y'\nB=\"a\\nb\"\nC=`q`", {"A": "x # y", "B": "a\nb", "C": "q"}),
        ('A="two\nlines"', {"A": "two\nlines"}),
        ("A=\nB=x", {"A": "", "B": "x"}),
        ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("not a line\n=x", {}),
        ("A=a=b", {"A": "a=b"}),
        ("A: yaml\nB-C.D=1\n1A=2", {"A": "yaml", "B-C.D": "1", "1A": "2"}),
        ('A="C:\\Users\\me"', {"A": "C:\\Users\\me"}),
        ("A='it\\'s'", {"A": "it\\'s"}),
        ("A=1\rB=2", {"A": "1", "B": "2"}),
    ],
)
def test_dotenv_syntax(text_: str, values: dict[str, str]) -> None:
    assert parse_dotenv(text_) == values


STEERING = [
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "CODE_ASSIST_ENDPOINT",
    "HOME",
    "GEMINI_CLI_HOME",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "PYTHONPATH",
    "LD_PRELOAD",
    "GIT_EXTERNAL_DIFF",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    "GEMINI_CLI_CUSTOM_HEADERS",
    "GCE_METADATA_HOST",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OPENSSL_CONF",
    "SSLKEYLOGFILE",
    "BASH_ENV",
    "SSH_ASKPASS",
    "LESSOPEN",
    "MANPAGER",
    "ZDOTDIR",
    "JAVA_TOOL_OPTIONS",
    "SANDBOX_FLAGS",
    "GEMINI_SYSTEM_MD",
    "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
]


@pytest.mark.parametrize("name", STEERING)
def test_a_project_env_may_not_steer(name: str) -> None:
    put(".env", f"{name}=x\nGEMINI_API_KEY=k\n")
    found = find_project_env(Path.cwd(), Path.home(), set())
    assert found is not None
    assert (dict(found.values), found.refused) == ({"GEMINI_API_KEY": "k"}, (name,))


def test_a_project_env_gives_the_key_and_is_told_what_it_may_not() -> None:
    put(".env", f"# comment\nGEMINI_API_KEY='{KEY}'\nHTTPS_PROXY=http://127.0.0.1:9\nDEBUG=1\nGEMINI_MODEL=m1\n")
    with FakeGemini(OK) as fake:
        env = program_env(fake, GEMINI_API_KEY=None, GEMINI_CLI_TRUST_WORKSPACE="1")
        ran = gemcli("-p", "hi", env=env)
        assert (ran.code, ran.out) == (0, "hello\n")
        assert fake.requests[0].headers["x-goog-api-key"] == KEY
    assert ran.err == f"[WARNING] {Path.cwd()}/.env: a project's .env may not set HTTPS_PROXY; ignored.\n"


def test_the_order_of_env_files() -> None:
    """What is set stays; the folder's file comes next, then the user's own, which is always read."""
    put(".gemini/.env", "GEMINI_MODEL=from-folder\n")
    put(".env", "GEMINI_MODEL=never\nGEMINI_API_KEY=never-read\n")
    user = Path.home() / ".gemini"
    user.mkdir()
    (user / ".env").write_text(f"GEMINI_MODEL=from-user\nGEMINI_API_KEY={KEY}\n")
    with FakeGemini(OK, OK, OK) as fake:
        env = program_env(fake, GEMINI_API_KEY=None)
        assert gemcli("-p", "hi", "--skip-trust", env=env).code == 0
        assert gemcli("-p", "hi", "--skip-trust", "--ignore-env", env=env).code == 0
        assert gemcli("-p", "hi", "--skip-trust", env=env | {"GEMINI_MODEL": "from-env"}).code == 0
        models = [request.path.split("/")[-1].split(":")[0] for request in fake.requests]
        assert models == ["from-folder", "from-user", "from-env"]
        assert {request.headers["x-goog-api-key"] for request in fake.requests} == {KEY}


def test_settings_about_env_files() -> None:
    user = Path.home() / ".gemini"
    user.mkdir()
    put(".env", "GEMINI_MODEL=from-folder\n")
    for settings, model in (
        ({"advanced": {"ignoreLocalEnv": True}}, "gemini-2.5-pro"),
        ({"advanced": {"excludedEnvVars": ["GEMINI_MODEL"]}}, "gemini-2.5-pro"),
        ({}, "from-folder"),
    ):
        (user / "settings.json").write_text(json.dumps(settings))
        with FakeGemini(OK) as fake:
            assert gemcli("-p", "hi", "--skip-trust", fake=fake).code == 0
            assert f"/{model}:" in fake.requests[0].path


def test_a_fifo_for_an_env_file_does_not_hang() -> None:
    import os

    os.mkfifo(Path.cwd() / ".env")
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", "--skip-trust", fake=fake).code == 0


def test_the_env_file_of_an_untrusted_folder_above_is_not_read() -> None:
    child = Path.cwd() / "child"
    child.mkdir()
    put(".env", "GEMINI_MODEL=from-above\n")
    trusts(**{str(Path.cwd()): "DO_NOT_TRUST", str(child): "TRUST_FOLDER"})
    import os

    os.chdir(child)
    for args in ((), ("--skip-trust",)):
        with FakeGemini(OK) as fake:
            assert gemcli("-p", "hi", *args, fake=fake).code == 0
            assert "/gemini-2.5-pro:" in fake.requests[0].path


@pytest.mark.parametrize("home", [None, "", "."])
def test_without_a_home_the_folder_is_not_taken_for_it(home: str | None) -> None:
    """Its files are a stranger's, whatever HOME says."""
    put(".gemini/settings.json", '{"security": {"folderTrust": {"enabled": false}}, "model": {"name": "canary"}}')
    put(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\n")
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", env=program_env(fake, HOME=home)).code == 55


@pytest.mark.parametrize(
    "content",
    [
        '{"": "TRUST_FOLDER", ".": "TRUST_FOLDER"}',
        '{"HERE": ["TRUST_FOLDER"], "HERE/x": {"a": 1}}',
        '{"HERE/loop": "TRUST_FOLDER", "/a\\u0000b": "TRUST_FOLDER"}',
        '{"HERE": "DO_NOT_TRUST", "HERE/x": "TRUST_PARENT"}',
        '{"HERE/x": "TRUST_PARENT", "HERE": "DO_NOT_TRUST"}',
    ],
)
def test_odd_entries_trust_nothing(content: str) -> None:
    put("GEMINI.md", "x")
    (Path.cwd() / "loop").symlink_to("loop")
    trusts()
    (Path.home() / ".gemini" / "trustedFolders.json").write_text(content.replace("HERE", str(Path.cwd())))
    assert gemcli("-p", "hi").code == 55


def test_a_long_list_of_things_is_cut_and_cannot_forge_lines() -> None:
    for n in range(30):
        put(f".gemini/f{n:02}", "")
    put(".gemini/a\nError: forged", "")
    ran = gemcli("-p", "hi")
    assert (ran.code, len(ran.err.splitlines())) == (55, 2)
    assert "and 21 more" in ran.err


def test_a_folder_that_everybody_writes_to_speaks_for_nobody() -> None:
    shared = Path.cwd() / "shared"
    project = shared / "project"
    project.mkdir(parents=True)
    (shared / ".env").write_text("GEMINI_MODEL=strangers\n")
    assert find_project_env(project, Path.home(), set()) is not None
    shared.chmod(0o777)
    assert find_project_env(project, Path.home(), set()) is None
