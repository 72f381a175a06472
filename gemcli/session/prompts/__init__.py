"""The system prompt, kept as text files beside this one."""

from pathlib import Path


def system_prompt() -> str:
    return (Path(__file__).parent / "system.md").read_text(encoding="utf-8").strip()
