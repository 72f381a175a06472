"""The house rules that a machine can check: imports point down, start-up loads little, files stay small."""

import ast
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import gemcli

PACKAGE = Path(gemcli.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "workspace" not in path.parent.name)
MAX_LINES, MAX_FUNCTION = 500, 60

# From the top to the ground: each may import what is below it, never what is above or beside it.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"app"},
    {"build", "gate"},
    {"tui", "plain"},
    {"commands"},
    {"session"},
    {"scheduler"},
    {"tools"},
    {"api"},
    {"config"},
    {"events"},
    {"help", "options", "wire", "lenient_json"},
    {"argv"},
    {"flags"},
    {"trace"},
    {"kinds", "errors", "exit_codes", "clock", "ids", "redact", "demo"},
]
HEIGHT = {name: -height for height, layer in enumerate(LAYERS) for name in layer}


def room(path: Path) -> str:
    """The package below gemcli, or the module itself."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    assert here in HEIGHT, f"{here} has no place among the layers"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "gemcli" and len(parts) > 1 and parts[1] != here:
            assert HEIGHT[parts[1]] < HEIGHT[here], f"{here} imports {parts[1]}, which is not below it"
        if HEIGHT[here] <= HEIGHT["commands"]:
            assert parts[0] not in ("textual", "rich", "prompt_toolkit"), f"{here} knows of screens"


def test_the_layers_are_those_of_the_architecture() -> None:
    """The picture in the docs names every room of the house."""
    picture = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in {room(path) for path in MODULES} - {"__init__", "__main__"}:
        assert name in picture, f"{name} is missing in docs/architecture.md"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= MAX_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MAX_FUNCTION, f"{node.name} is too long"


def loaded_by(code: str, *args: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after this code."""
    script = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_the_session_loads_without_a_screen() -> None:
    assert not {"textual", "prompt_toolkit"} & loaded_by("import gemcli.session")


@pytest.mark.parametrize("flag", ["--version", "-v", "--help", "-h"])
def test_version_and_help_load_little(flag: str) -> None:
    loaded = loaded_by(f"from gemcli.cli import main; main([{flag!r}])")
    assert not {"textual", "httpx", "pydantic", "rich", "asyncio", "google"} & loaded


def test_a_headless_run_needs_no_screen_and_no_google_auth() -> None:
    loaded = loaded_by("import gemcli.plain.headless")
    assert not {"textual", "prompt_toolkit", "google", "requests"} & loaded


def test_the_layers_are_distinct() -> None:
    for above, below in pairwise(LAYERS):
        assert not above & below
