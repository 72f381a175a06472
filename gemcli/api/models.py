"""Model names, what they can take, and how they are asked to answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

STABLE = {"pro": "gemini-2.5-pro", "flash": "gemini-2.5-flash", "flash-lite": "gemini-2.5-flash-lite"}
PREVIEW = {"pro": "gemini-3-pro-preview", "flash": "gemini-3-flash-preview", "flash-lite": "gemini-3.1-flash-lite"}
TOKEN_LIMIT = 1_048_576
_FAMILY = re.compile(r"(?:models/)?gemini-(\d+)(?:\.(\d+))?")
_NO_THOUGHTS = re.compile(r"image|tts|live|embedding|computer-use")
MAX_EXTENDS = 8


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model and what is sent as its `generationConfig`."""

    model: str
    generation: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Models:
    """What a name means. `own` is the user's `modelConfigs`: aliases, and overrides for models."""

    def __init__(self, own: Mapping[str, Any] | None = None, *, preview: bool = False) -> None:
        current = PREVIEW if preview else STABLE
        self._known = current | {
            "auto": current["pro"],
            "auto-gemini-3": PREVIEW["pro"],
            "auto-gemini-2.5": STABLE["pro"],
        }
        own = own or {}
        self._aliases = _objects(own.get("aliases")) | _objects(own.get("customAliases"))
        self._overrides = [*_listed(own.get("overrides")), *_listed(own.get("customOverrides"))]

    def config(self, name: str) -> ModelConfig:
        model, generation = self._alias(name, MAX_EXTENDS)
        model = self._known.get(model, model)
        generation = merged(defaults(model), generation)
        for override in self._overrides:
            match = _object(override.get("match"))
            if match.get("model") in (model, name) and not match.get("overrideScope"):
                generation = merged(generation, _generation(override))
        return ModelConfig(model, _one_kind_of_thinking(generation, defaults(model)))

    def _alias(self, name: str, depth: int) -> tuple[str, dict[str, Any]]:
        """The model behind the user's own name for it, with the configurations it extends."""
        alias = self._aliases.get(name)
        if alias is None or depth == 0:
            return name, {}
        base, generation = name, {}
        extends = alias.get("extends")
        if isinstance(extends, str):
            base, generation = self._alias(extends, depth - 1)
            if base == extends and base not in self._known and not _FAMILY.match(base):
                base = "auto"  # one of the original's own bases, or a circle: the name of no model
        model = _object(alias.get("modelConfig")).get("model")
        return (model if isinstance(model, str) else base), merged(generation, _generation(alias))


def _one_kind_of_thinking(generation: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """A budget and a level exclude each other; what the user set wins over what the family has."""
    thinking = _object(generation.get("thinkingConfig"))
    if "thinkingBudget" in thinking and "thinkingLevel" in thinking:
        dropped = "thinkingLevel" if "thinkingLevel" in _object(usual.get("thinkingConfig")) else "thinkingBudget"
        thinking = {name: value for name, value in thinking.items() if name != dropped}
        return dict(generation) | {"thinkingConfig": thinking}
    return dict(generation)


def token_limit(model: str) -> int | None:
    """How many tokens a prompt may have; None for a model we know nothing of."""
    return TOKEN_LIMIT if _family(model) >= (2, 0) and not _NO_THOUGHTS.search(model) else None


def defaults(model: str) -> dict[str, Any]:
    """What the model's family is asked with; nothing is guessed for a model we do not know."""
    family = _family(model)
    thinks = not _NO_THOUGHTS.search(model)
    if family >= (3, 0):
        config: dict[str, Any] = {"temperature": 1, "topP": 0.95, "topK": 64}
        thinking: dict[str, Any] = {"includeThoughts": True, "thinkingLevel": "HIGH"}
    elif family >= (2, 0):
        config = {"temperature": 0, "topP": 1}
        thinking = {"thinkingBudget": -1, "includeThoughts": True}
        thinks = thinks and family >= (2, 5)
    else:
        return {}
    return config | ({"thinkingConfig": thinking} if thinks else {})


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Objects are merged entry by entry; anything else is replaced."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(cast("Mapping[str, Any]", old), cast("Mapping[str, Any]", value)) if both else value
    return result


def _family(model: str) -> tuple[int, int]:
    found = _FAMILY.match(model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def _generation(entry: Mapping[str, Any]) -> dict[str, Any]:
    return _object(_object(entry.get("modelConfig")).get("generateContentConfig"))


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: object) -> dict[str, dict[str, Any]]:
    return {name: _object(entry) for name, entry in _object(value).items()}


def _listed(value: object) -> list[dict[str, Any]]:
    return [_object(entry) for entry in cast("list[object]", value)] if isinstance(value, list) else []
