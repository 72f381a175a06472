"""Context files, the system prompt and the opening message: what the model knows before the first word."""

import json
from pathlib import Path

import pytest

from gemcli.config.context import ContextFiles, joined
from gemcli.config.imports import Importer
from gemcli.config.paths import Paths
from gemcli.kinds import ApprovalMode
from gemcli.session.opening import surroundings_text
from gemcli.session.prompts import PromptFacts, mode_news, system_prompt, with_context
from gemcli.tools.workspace import Workspace
from tests.fake_clock import FakeClock
from tests.fake_gemini import FakeGemini, text, turn
from tests.support import gemcli, open_session, program_env, said

GOLDEN = Path(__file__).parent / "golden"
OK = turn(text("hello"))


def write(name: str, content: str) -> None:
    path = Path.cwd() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def files(project: Path | None = None, names: tuple[str, ...] = ("GEMINI.md",)) -> ContextFiles:
    return ContextFiles(Paths(home=Path.home(), project=project or Path.cwd()), names)


# --- finding --------------------------------------------------------------------------------


def test_the_order_is_from_general_to_particular() -> None:
    write("../home/.gemini/GEMINI.md", "GLOBAL\n")
    write("GEMINI.md", "ROOT\n")
    write("sub/GEMINI.md", "SUB\n")
    write("sub/deeper/GEMINI.md", "NOT YET\n")
    Path(".git").mkdir()
    found = files(Path.cwd() / "sub").at_start()
    assert joined(found) == (
        f"--- Context from: {Path.home()}/.gemini/GEMINI.md ---\nGLOBAL\n"
        f"--- End of Context from: {Path.home()}/.gemini/GEMINI.md ---\n\n"
        f"--- Context from: {Path.cwd()}/GEMINI.md ---\nROOT\n--- End of Context from: {Path.cwd()}/GEMINI.md ---\n\n"
        "--- Context from: GEMINI.md ---\nSUB\n--- End of Context from: GEMINI.md ---"
    )


def test_without_git_only_the_folder_itself_counts() -> None:
    write("GEMINI.md", "ABOVE")
    (Path.cwd() / "sub").mkdir()
    assert files(Path.cwd() / "sub").at_start() == []


def test_without_trust_only_the_users_own_counts() -> None:
    write("../home/.gemini/GEMINI.md", "GLOBAL")
    write("GEMINI.md", "PROJECT")
    assert [each.text for each in files().at_start(is_trusted=False)] == ["GLOBAL"]


def test_several_names_and_the_same_file_twice() -> None:
    write("AGENTS.md", "AGENTS")
    Path("GEMINI.md").symlink_to("AGENTS.md")
    write("empty/GEMINI.md", " \n")
    found = files(names=("GEMINI.md", "AGENTS.md")).at_start()
    assert [(each.shown, each.text) for each in found] == [("GEMINI.md", "AGENTS")]


def test_subfolders_come_when_they_are_touched_and_only_once() -> None:
    write("GEMINI.md", "ROOT")
    write("a/GEMINI.md", "A")
    write("a/b/GEMINI.md", "B")
    write("a/b/file.py", "")
    found = files()
    found.at_start()
    assert [each.text for each in found.on_touching(Path.cwd() / "a/b/file.py")] == ["A", "B"]
    assert found.on_touching(Path.cwd() / "a/b/other.py") == []
    assert found.on_touching(Path("/etc/passwd")) == []


HIDDEN = "U+001B, U+00AD, U+200B, U+202E, U+3164, U+E0041"


def test_hidden_characters_are_reported() -> None:
    write("GEMINI.md", "Be nice.\u200b\u202e \U000e0041 \u00ad\u3164\x1b[8m")
    found = files()
    found.at_start()
    assert found.warnings == [f"{Path.cwd()}/GEMINI.md holds characters that cannot be seen: {HIDDEN}."]


# --- imports --------------------------------------------------------------------------------


def imported(content: str) -> tuple[str, list[str]]:
    write("GEMINI.md", content)
    importer = Importer((Path.cwd().resolve(),))
    return importer.text_of(Path.cwd() / "GEMINI.md") or "", importer.problems


def test_an_import() -> None:
    write("docs/extra file.md", "EXTRA\n@./more.md\n")
    write("docs/more.md", "MORE\n")
    got, problems = imported("one\n@docs/extra\\ file.md\ntwo\n")
    assert got == (
        "one\n<!-- Imported from: docs/extra file.md -->\nEXTRA\n<!-- Imported from: ./more.md -->\nMORE\n"
        "<!-- End of import from: ./more.md -->\n<!-- End of import from: docs/extra file.md -->\ntwo\n"
    )
    assert problems == []


@pytest.mark.parametrize(
    "content",
    [
        "```\n@./x.md\n```\n",
        "~~~~python\n@./x.md\n~~~\n@./x.md\n~~~~\n",
        "Use `@./x.md` and ``@./x.md``.\n",
        "mail me@./x.md please\n",
        "The @someone said so.\n",
        "  ```\n@./x.md",
    ],
)
def test_what_is_no_import(content: str) -> None:
    write("x.md", "IMPORTED")
    assert imported(content) == (content, [])


def test_an_import_inside_a_sentence() -> None:
    write("x.md", "IMPORTED")
    got, _ = imported("See @x.md for more.\n")
    assert got == "See <!-- Imported from: x.md -->\nIMPORTED\n<!-- End of import from: x.md --> for more.\n"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("./missing.md", "there is no such file"),
        ("../outside.md", "it lies outside the allowed folders"),
        ("/etc/hostname", "it lies outside the allowed folders"),
        ("./GEMINI.md", "it imports itself"),
        ("./link.md", "it lies outside the allowed folders"),
    ],
)
def test_imports_that_fail(name: str, why: str) -> None:
    outside = Path.cwd().parent / "outside.md"
    outside.write_text("SECRET")
    Path("link.md").symlink_to(outside)
    got, problems = imported(f"@{name}\n")
    assert got == f"<!-- Import failed: {name} - {why} -->\n"
    assert problems == [f"{Path.cwd()}/GEMINI.md: @{name} is not imported: {why}."]


def test_imports_that_multiply_end() -> None:
    for n in range(6):
        write(f"{n}.md", f"@./{n + 1}.md\n" * 60)
    write("6.md", "end")
    _, problems = imported("@./0.md\n" * 60)
    assert any("more than 100 imports" in problem for problem in problems)


@pytest.mark.parametrize(
    "content", ["@" + "x" * 5000, "@a\0b\n", " ".join("`" * n for n in range(900)), "@" + "y" * 300]
)
def test_odd_lines_are_left_alone(content: str) -> None:
    assert imported(content)[0] == content


def test_a_context_file_that_leads_out_is_not_read() -> None:
    outside = Path.cwd().parent / "outside.md"
    outside.write_text("SECRET")
    Path("GEMINI.md").symlink_to(outside)
    found = files()
    assert found.at_start() == []
    assert found.warnings == [f"{Path.cwd()}/GEMINI.md leads out of the project; it is not read."]


def test_imports_are_not_nested_for_ever() -> None:
    for n in range(9):
        write(f"{n}.md", f"level {n}\n@./{n + 1}.md\n")
    got, problems = imported("@./0.md\n")
    assert "level 4" in got and "level 5" not in got
    assert len(problems) == 1 and "nested" in problems[0]


# --- the prompt -----------------------------------------------------------------------------

FACTS = {
    "headless": PromptFacts(is_headless=True),
    "everything": PromptFacts(("read_file", "glob"), True, True, ApprovalMode.YOLO, True),
    "plan": PromptFacts(("read_file",), mode=ApprovalMode.PLAN),
    "auto_edit": PromptFacts(("read_file",), True, mode=ApprovalMode.AUTO_EDIT),
    "default": PromptFacts(("read_file",)),
}


@pytest.mark.parametrize("name", FACTS)
def test_the_assembled_prompt(name: str, request: pytest.FixtureRequest) -> None:
    """Golden files: what the model is told is looked at whenever it changes."""
    prompt = with_context(system_prompt(FACTS[name]), "CONTEXT" if name == "everything" else "") + "\n"
    path = GOLDEN / f"prompt_{name}.md"
    if request.config.getoption("--write-golden"):
        path.write_text(prompt, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == prompt


def system_of(fake: FakeGemini) -> str:
    return fake.requests[0].body["systemInstruction"]["parts"][0]["text"]


def test_a_run_with_context() -> None:
    write("../home/.gemini/GEMINI.md", "GLOBAL-RULE\n")
    write("GEMINI.md", "PROJECT-RULE {braces}\n@./extra.md\n")
    write("extra.md", "EXTRA-RULE\u200b\n")
    with FakeGemini(OK) as fake:
        ran = gemcli("-p", "hi", "--skip-trust", fake=fake)
        system = system_of(fake)
    assert ran.code == 0
    for words in ("GLOBAL-RULE", "PROJECT-RULE {braces}", "EXTRA-RULE", "--- Context from: GEMINI.md ---"):
        assert words in system
    assert "[WARNING] " in ran.err and "U+200B" in ran.err


def test_context_names_from_settings() -> None:
    write("../home/.gemini/settings.json", json.dumps({"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}))
    write("AGENTS.md", "AGENTS-RULE")
    write("GEMINI.md", "GEMINI-RULE")
    with FakeGemini(OK) as fake:
        assert gemcli("-p", "hi", fake=fake).code == 55
        assert gemcli("-p", "hi", "--skip-trust", fake=fake).code == 0
        assert system_of(fake).index("AGENTS-RULE") < system_of(fake).index("GEMINI-RULE")


def test_the_prompt_can_be_replaced_and_written_out() -> None:
    write("mine.md", "You are TESTBOT.\n")
    write("GEMINI.md", "RULE")
    with FakeGemini(OK, OK, OK) as fake:
        env = program_env(fake, GEMINI_CLI_TRUST_WORKSPACE="1")
        assert gemcli("-p", "hi", env=env | {"GEMINI_WRITE_SYSTEM_MD": "out/prompt.md"}).code == 0
        written = Path("out/prompt.md").read_text()
        assert written.strip() and system_of(fake).startswith(written.strip())
        assert "RULE" not in written
        assert gemcli("-p", "hi", env=env | {"GEMINI_SYSTEM_MD": "mine.md"}).code == 0
        second = fake.requests[1].body["systemInstruction"]["parts"][0]["text"]
        assert second.startswith("You are TESTBOT.\n") and "RULE" in second and "gemcli" not in second
        write(".gemini/system.md", "You are the project's bot.")
        assert gemcli("-p", "hi", env=env | {"GEMINI_SYSTEM_MD": "true"}).code == 0
        assert fake.requests[2].body["systemInstruction"]["parts"][0]["text"].startswith("You are the project's bot.")
        missing = gemcli("-p", "hi", env=env | {"GEMINI_SYSTEM_MD": "nowhere.md"})
        assert missing.code == 52 and "GEMINI_SYSTEM_MD" in missing.err


# --- the opening ----------------------------------------------------------------------------


def test_the_opening_message() -> None:
    write("README.md", "x")
    other = Path.cwd().parent / "other"
    other.mkdir()
    (other / "more.txt").touch()
    with FakeGemini(OK, OK) as fake:
        assert gemcli("-p", "hi", "--include-directories", str(other), fake=fake).code == 0
        first, second, third = fake.requests[0].contents
        scene = first["parts"][0]["text"]
        for words in (str(Path.cwd()), str(other), "README.md", "more.txt", "20", "linux"):
            assert words in scene
        assert len(first["parts"]) == 1
        assert second == {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]}
        assert third == {"role": "user", "parts": [{"text": "hi"}]}
        write("../home/.gemini/settings.json", '{"context": {"includeDirectoryTree": false}}')
        assert gemcli("-p", "hi", fake=fake).code == 0
        assert "README.md" not in fake.requests[1].contents[0]["parts"][0]["text"]


def test_two_hundred_entries_in_all() -> None:
    roots = [Path.cwd() / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
        for n in range(150):
            (root / f"f{n:03}").touch()
    text_ = surroundings_text(Workspace(roots), FakeClock(), with_tree=True)
    assert len([line for line in text_.splitlines() if line.startswith("  f")]) == 200


def test_a_folder_that_is_none() -> None:
    with FakeGemini() as fake:
        ran = gemcli("-p", "hi", "--include-directories", "nowhere", fake=fake)
    assert ran.code == 42 and "nowhere" in ran.err


async def test_a_change_of_mode_or_memory_is_told_with_the_next_prompt() -> None:
    with FakeGemini(OK, OK, OK) as fake:
        async with open_session(fake, system_prompt="Be good.") as session:
            await said(session, "one")
            session.set_mode(ApprovalMode.PLAN)
            session.set_mode(ApprovalMode.AUTO_EDIT)
            session.set_mode(ApprovalMode.AUTO_EDIT)
            session.tell("memory", "[You now remember: tea.]")
            await said(session, "two")
            await said(session, "three")
        news = [{"text": mode_news(ApprovalMode.AUTO_EDIT)}, {"text": "[You now remember: tea.]"}]
        assert fake.requests[1].last["parts"] == [*news, {"text": "two"}]
        assert fake.requests[2].last["parts"] == [{"text": "three"}]
        assert len({json.dumps(request.body["systemInstruction"]) for request in fake.requests}) == 1
