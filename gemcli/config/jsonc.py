"""JSON as people write it: comments and trailing commas are allowed, errors name their line and column."""

import errno
import json
import re
from pathlib import Path
from typing import Any

from gemcli.errors import ConfigError

MAX_BYTES = 8 * 1024 * 1024
_STRING = r'"(?:[^"\\\n]|\\.)*"?'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR}


class JsoncError(ValueError):
    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def parse_jsonc(data: bytes) -> Any:
    if len(data) > MAX_BYTES:
        raise JsoncError(f"the file is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        raise JsoncError("the file is not UTF-8 text", line, error.start - before.rfind(b"\n")) from None
    if not text.strip():
        return {}
    try:
        return json.loads(_TRAILING_COMMA.sub(_blank, _COMMENT.sub(_blank, text)))
    except json.JSONDecodeError as error:
        raise JsoncError(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise JsoncError("it is nested too deeply") from None
    except ValueError as error:  # a number with thousands of digits
        raise JsoncError(str(error)) from None


def read_object(path: Path, what: str) -> dict[str, Any] | None:
    """A file that holds an object; None when there is none. One that cannot be used ends the run: exit code 52."""
    try:
        if not path.is_file():
            if path.exists():
                raise ConfigError(f"{path} is not a file.")
            return None
        with path.open("rb") as file:
            values: Any = parse_jsonc(file.read(MAX_BYTES + 1))
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except JsoncError as error:
        raise ConfigError(f"{path}:{error.line}:{error.column}: this is not valid JSON: {error.message}.") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: {what} must be an object in braces.")
    return values  # pyright: ignore[reportUnknownVariableType]


def _blank(found: re.Match[str]) -> str:
    """Strings stay; comments and trailing commas become blanks, so that positions stay true."""
    token = found.group()
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)
