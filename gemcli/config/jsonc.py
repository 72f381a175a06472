"""JSON as people write it: comments and trailing commas are allowed, errors name their line and column."""

import json
import re
from typing import Any

MAX_BYTES = 8 * 1024 * 1024
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


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
        return json.loads(_TOKEN.sub(_plain, text))
    except json.JSONDecodeError as error:
        raise JsoncError(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise JsoncError("it is nested too deeply") from None


def _plain(found: re.Match[str]) -> str:
    """Strings stay; comments and trailing commas become blanks, so that positions stay true."""
    token = found.group()
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)
