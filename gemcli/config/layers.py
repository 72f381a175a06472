"""The places settings come from: each layer keeps who said what."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gemcli.config.interpolate import interpolated
from gemcli.config.jsonc import JsoncError, parse_jsonc
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
        return Layer(self.source, interpolated(dict(self.values), env), self.is_folders)


def read_layer(path: Path, *, is_folders: bool = False) -> Layer | None:
    """A settings file; None when there is none. One that cannot be used ends the run: exit code 52."""
    try:
        if not path.is_file():
            return None
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        values: Any = parse_jsonc(data)
    except JsoncError as error:
        raise ConfigError(f"{path}:{error.line}:{error.column}: this is not valid JSON: {error.message}.") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: settings must be an object in braces.")
    return Layer(str(path), renewed(cast("dict[str, Any]", values)), is_folders)


def nested(key: str, value: object) -> dict[str, Any]:
    """One dotted key as the object a file would hold."""
    for name in reversed(key.split(".")):
        value = {name: value}
    return cast("dict[str, Any]", value)
