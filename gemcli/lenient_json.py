"""JSON as services and models really write it."""

import json
import re
from typing import cast

from pydantic_core import from_json

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def parse(data: bytes | str) -> object:
    """A JSON value; raw control characters and lone surrogates inside strings are survived.

    Raises ValueError for everything else that is not JSON, also for what is nested too deeply to be read.
    """
    try:
        return from_json(data)
    except ValueError:
        pass
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        return _paired(json.loads(text, strict=False))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _paired(value: object) -> object:
    """Lone surrogates cannot be sent back as UTF-8; they become U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_paired(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {_paired(key): _paired(item) for key, item in cast("dict[str, object]", value).items()}
    return value
