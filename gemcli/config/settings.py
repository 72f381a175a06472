"""The user's settings file, as plain JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from gemcli.errors import ConfigError

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Settings:
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def get(self, key: str, kind: type[Kind]) -> Kind | None:
        """The value under a dotted key, if it is there and of this kind."""
        value: object = self.values
        for name in key.split("."):
            if not isinstance(value, Mapping):
                return None
            value = cast("Mapping[str, object]", value).get(name)
        return value if isinstance(value, kind) else None

    def seconds(self, key: str, default: float) -> float:
        value = self.get(key, object)
        return float(value) if isinstance(value, int | float) and value > 0 else default


def read_settings(path: Path) -> Settings:
    try:
        values: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path} must hold a JSON object.")
    return Settings(cast("dict[str, Any]", values))
