"""What a user gets: the wheel, and the commands the README tells."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_wheel_holds_everything() -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(Path.cwd())]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = Path.cwd().glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        str(path.relative_to(ROOT)) for path in (ROOT / "gemcli").rglob("*") if path.suffix in (".py", ".md", ".jsonl")
    }
    assert wanted <= names
    assert not any(name.startswith("tests/") for name in names)


def test_the_readme_has_two_commands_and_they_are_what_is_checked() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith(".venv/bin/gemcli --demo")
    assert commands[1].endswith(".venv/bin/python -m tests.check")
