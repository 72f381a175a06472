"""The system instruction of a session: the prompt or what replaces it, and the context files."""

from collections.abc import Mapping
from pathlib import Path

from gemcli.config.environment import is_true
from gemcli.config.paths import Paths
from gemcli.config.private import replace_file
from gemcli.errors import ConfigError
from gemcli.session.prompts import PromptFacts, system_prompt, with_context


def system_instruction(facts: PromptFacts, context: str, env: Mapping[str, str], paths: Paths) -> str:
    """GEMINI_SYSTEM_MD names a file that takes the prompt's place, GEMINI_WRITE_SYSTEM_MD one that it is written to."""
    prompt = system_prompt(facts)
    written = _named(env.get("GEMINI_WRITE_SYSTEM_MD"), paths)
    if written is not None:
        _write(written, prompt)
    replaced = _named(env.get("GEMINI_SYSTEM_MD"), paths)
    if replaced is not None:
        prompt = _read(replaced)
    return with_context(prompt, context)


def _named(value: str | None, paths: Paths) -> Path | None:
    """A path; `true` means the project's own file, `false` none."""
    value = (value or "").strip()
    if not value or value.lower() in ("0", "false"):
        return None
    if is_true(value):
        return paths.project / ".gemini" / "system.md"
    if value == "~" or value.startswith("~/"):
        return paths.home / value[2:]
    return paths.project / value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace").strip()
    except OSError as error:
        raise ConfigError(f"GEMINI_SYSTEM_MD names {path}, which cannot be read: {error.strerror}.") from error


def _write(path: Path, prompt: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, (prompt + "\n").encode())
    except OSError as error:
        message = f"GEMINI_WRITE_SYSTEM_MD names {path}, which cannot be written: {error.strerror}."
        raise ConfigError(message) from error
