"""Environment variables inside settings: $NAME, ${NAME} and ${NAME:-otherwise}."""

import re
from collections.abc import Mapping
from typing import Any, cast

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::-([^}]*))?\})")


def interpolated(value: Any, env: Mapping[str, str]) -> Any:
    """All texts inside, with the variables filled in; one that is not set stays as it is written."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _filled(found, env), value)
    if isinstance(value, list):
        return [interpolated(item, env) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: interpolated(item, env) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _filled(found: re.Match[str], env: Mapping[str, str]) -> str:
    name, otherwise = found[1] or found[2], found[3]
    value = env.get(name)
    if otherwise is not None:
        return value or otherwise
    return found[0] if value is None else value
