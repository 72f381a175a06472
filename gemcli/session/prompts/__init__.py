"""The system prompt, assembled from the text files beside this one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gemcli.kinds import ApprovalMode


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What the prompt depends on. It is fixed when the session begins: the service caches it."""

    tools: Sequence[str] = ()
    is_git: bool = False
    in_sandbox: bool = False
    mode: ApprovalMode = ApprovalMode.DEFAULT
    is_headless: bool = False


def system_prompt(facts: PromptFacts) -> str:
    parts = [_part("core")]
    if facts.tools:
        parts.append(_part("tools").format(tools=", ".join(f"`{name}`" for name in facts.tools)))
        parts.append(_part(f"mode_{facts.mode}"))
    else:
        parts.append(_part("no_tools"))
    if facts.is_git:
        parts.append(_part("git"))
    if facts.in_sandbox:
        parts.append(_part("sandbox"))
    if facts.is_headless:
        parts.append(_part("headless"))
    return "\n\n".join(parts)


def with_context(prompt: str, context: str) -> str:
    """The prompt, with the context files after it."""
    return f"{prompt}\n\n{_part('context').replace('{context}', context)}" if context else prompt


def mode_news(mode: ApprovalMode) -> str:
    """What the model is told when the mode changes during a session."""
    said = _part(f"mode_{mode}").split("\n\n", 1)[1]
    return f"[The approval mode is now {mode}. {said}]"


def _part(name: str) -> str:
    return (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8").strip()
