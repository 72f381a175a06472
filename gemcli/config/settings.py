"""The settings of a run: every layer asked in turn, with the answer to "who said so?"."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from gemcli.config.catalogue import CATALOGUE, AnySetting
from gemcli.config.layers import ABSENT, Layer
from gemcli.config.setting import Merge, Setting

Value = TypeVar("Value")
DEFAULT = "default"
GROUPS = sorted(
    {setting.key.rsplit(".", depth)[0] for setting in CATALOGUE for depth in range(1, setting.key.count(".") + 1)}
    - {setting.key for setting in CATALOGUE}
)


@dataclass(frozen=True, slots=True)
class Told:
    """A value and where it comes from."""

    value: Any
    sources: tuple[str, ...]

    def shown(self) -> str:
        """For the debug log. Objects may hold other programs' secrets; the names of their entries are enough."""
        entries = list(cast("dict[str, Any]", self.value)) if isinstance(self.value, dict) else self.value
        return json.dumps(entries, ensure_ascii=False)


class Settings:
    """Later layers win. A value of the wrong type is passed over with a warning, so that the key falls back."""

    def __init__(self, layers: Iterable[Layer] = ()) -> None:
        self.layers = tuple(layers)
        self.warnings = [warning for layer in self.layers for warning in _faults(layer)]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Settings":
        """Settings from one object, as if it were the user's file."""
        return cls([Layer("settings", values)])

    def get(self, setting: Setting[Value]) -> Value:
        return cast("Value", self.told(setting).value)

    def told(self, setting: Setting[Value]) -> Told:
        found = [(layer.source, value) for layer in self.layers if (value := _usable(layer, setting)) is not ABSENT]
        if not found:
            return Told(setting.default, (DEFAULT,))
        if setting.merge is Merge.REPLACE:
            source, value = found[-1]
            return Told(value, (source,))
        merged = _merged(setting, [value for _, value in found])
        return Told(merged, tuple(source for source, _ in found))

    def set_ones(self) -> list[tuple[AnySetting, Told]]:
        """Every setting that somebody set."""
        told = ((setting, self.told(setting)) for setting in CATALOGUE)
        return [(setting, each) for setting, each in told if each.sources != (DEFAULT,)]


def _usable(layer: Layer, setting: AnySetting) -> Any:
    if layer.is_folders and setting.trusted_only:
        return ABSENT
    value = layer.find(setting.key)
    return value if value is not ABSENT and setting.kind.accepts(value) else ABSENT


def _faults(layer: Layer) -> Iterable[str]:
    for group in GROUPS:
        value = layer.find(group)
        if value is not ABSENT and value is not None and not isinstance(value, Mapping):
            yield f"{layer.source}: {group} must be an object; it is ignored."
    for setting in CATALOGUE:
        value = layer.find(setting.key)
        if value is not ABSENT and value is not None and not setting.kind.accepts(value):
            yield f"{layer.source}: {setting.key} must be {setting.kind.words}; it is ignored."


def _merged(setting: AnySetting, values: Sequence[Any]) -> Any:
    if setting.merge is Merge.SHALLOW:
        return {key: item for value in values for key, item in value.items()}
    items = [item for value in values for item in value]
    if setting.merge is Merge.UNION:
        return list(dict.fromkeys([*setting.default, *items]))
    return items
