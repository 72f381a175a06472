"""Model names, what they can take, and how they are asked to answer."""

import re

ALIASES = {
    "auto": "gemini-2.5-pro",
    "pro": "gemini-2.5-pro",
    "flash": "gemini-2.5-flash",
    "flash-lite": "gemini-2.5-flash-lite",
}
DEFAULT = "auto"
TOKEN_LIMIT = 1_048_576
_FAMILY = re.compile(r"gemini-(\d+)(?:\.(\d+))?")


def resolve(name: str) -> str:
    """The model behind an alias; any other name means itself."""
    return ALIASES.get(name, name)


def token_limit(model: str) -> int | None:
    """How many tokens a prompt may have; None for a model we know nothing of."""
    return TOKEN_LIMIT if _FAMILY.match(model) else None


def generation_config(model: str) -> dict[str, object]:
    """The defaults of the model's family; nothing is guessed for a model we do not know."""
    family = _family(model)
    if family >= (3, 0):
        thinking: dict[str, object] = {"includeThoughts": True, "thinkingLevel": "HIGH"}
        return {"temperature": 1, "topP": 0.95, "topK": 64, "thinkingConfig": thinking}
    if family >= (2, 5):
        return {"temperature": 0, "topP": 1, "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True}}
    if family >= (1, 0):
        return {"temperature": 0, "topP": 1}
    return {}


def _family(model: str) -> tuple[int, int]:
    found = _FAMILY.match(model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)
