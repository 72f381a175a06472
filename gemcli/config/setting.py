"""One setting: its key, what it may hold, what it means, and whether it works yet."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any, Generic, TypeVar, cast

Value = TypeVar("Value", covariant=True)
LONGEST = 1_000_000.0  # for numbers above 0; no limit or wait of ours is longer


@dataclass(frozen=True, slots=True)
class Kind(Generic[Value]):
    """What a value may be: in words, and as a test."""

    words: str
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def _is_text(value: object) -> bool:
    """Half of a surrogate pair is valid JSON, but no text that could be sent or printed."""
    return isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(_is_text(item) for item in cast("list[object]", value))


def _is_seconds(value: object) -> bool:
    return _is_number(value) and 0 < cast("float", value) <= LONGEST


BOOL: Kind[bool] = Kind("true or false", lambda value: isinstance(value, bool))
TEXT: Kind[str] = Kind("a text", _is_text)
INTEGER: Kind[int] = Kind("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
NUMBER: Kind[float] = Kind("a number", _is_number)
POSITIVE: Kind[float] = Kind("a number above 0", _is_seconds)
TEXTS: Kind[list[str]] = Kind("a list of texts", _is_texts)
TEXT_OR_TEXTS: Kind[str | list[str]] = Kind(
    "a text or a list of texts", lambda value: _is_text(value) or _is_texts(value)
)
OBJECT: Kind[dict[str, Any]] = Kind("an object", lambda value: isinstance(value, dict))
LIST: Kind[list[Any]] = Kind("a list", lambda value: isinstance(value, list))
SANDBOX: Kind[bool | str | dict[str, Any]] = Kind(
    "true, false, a command or an object", lambda value: isinstance(value, bool | str | dict)
)


def choice(*names: str) -> Kind[str]:
    return Kind(f"one of {', '.join(names)}", lambda value: value in names)


class Merge(Enum):
    """What becomes of the values of several files."""

    REPLACE = auto()  # the later one counts
    CONCAT = auto()  # one list after the other
    UNION = auto()  # the same, each item once
    SHALLOW = auto()  # the objects' entries side by side, the later one counts


class State(StrEnum):
    HONOURED = "yes"
    LATER = "not yet"
    INERT = "accepted without effect"


@dataclass(frozen=True, slots=True)
class Setting(Generic[Value]):
    key: str
    kind: Kind[Value]
    default: Value
    help: str
    merge: Merge = Merge.REPLACE
    state: State = State.HONOURED
    trusted_only: bool = False  # never taken from a folder's own settings
