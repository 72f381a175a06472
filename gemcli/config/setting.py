"""One setting: its key, what it may hold, what it means, and whether it works yet."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any, Generic, TypeVar, cast

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, slots=True)
class Kind(Generic[Value]):
    """What a value may be: in words, and as a test."""

    words: str
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


BOOL: Kind[bool] = Kind("true or false", lambda value: isinstance(value, bool))
TEXT: Kind[str] = Kind("a text", lambda value: isinstance(value, str))
INTEGER: Kind[int] = Kind("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
NUMBER: Kind[float] = Kind("a number", _is_number)
POSITIVE: Kind[float] = Kind("a number above 0", lambda value: _is_number(value) and cast("float", value) > 0)
TEXTS: Kind[list[str]] = Kind("a list of texts", _is_texts)
TEXT_OR_TEXTS: Kind[str | list[str]] = Kind(
    "a text or a list of texts", lambda value: isinstance(value, str) or _is_texts(value)
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
