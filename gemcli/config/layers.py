"""The places settings come from: each layer keeps who said what."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gemcli.config.interpolate import interpolated
from gemcli.config.jsonc import read_object
from gemcli.config.old_keys import renewed
from gemcli.errors import ConfigError

ABSENT = object()


@dataclass(frozen=True, slots=True)
class Layer:
    """`source` is what people are told: a file, a variable, a flag. `is_folders` marks the workspace's own file."""

    source: str
    values: Mapping[str, Any]
    is_folders: bool = False

    def find(self, key: str) -> Any:
        """The value under a dotted key, or ABSENT."""
        value: Any = self.values
        for name in key.split("."):
            if not isinstance(value, Mapping) or name not in value:
                return ABSENT
            value = cast("Mapping[str, Any]", value)[name]
        return value

    def filled(self, env: Mapping[str, str]) -> "Layer":
        """With the environment's variables put in."""
        try:
            return Layer(self.source, interpolated(dict(self.values), env), self.is_folders)
        except RecursionError:
            raise ConfigError(f"{self.source}: the settings are nested too deeply.") from None


def read_layer(path: Path, *, is_folders: bool = False) -> Layer | None:
    """A settings file; None when there is none."""
    values = read_object(path, "settings")
    return None if values is None else Layer(str(path), renewed(values), is_folders)


def nested(key: str, value: object) -> dict[str, Any]:
    """One dotted key as the object a file would hold."""
    for name in reversed(key.split(".")):
        value = {name: value}
    return cast("dict[str, Any]", value)
