"""Keeps credentials out of everything that is shown or written."""

import json
from collections.abc import Iterable
from typing import Any, cast

MASK = "[REDACTED]"
SHORTEST = 6  # anything shorter would mask ordinary words


class Redactor:
    """Replaces the credentials it was told of, wherever they turn up: as they are, and as JSON and repr write them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        if not secret or len(secret) < SHORTEST:
            return
        forms = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
        self._secrets = sorted({*self._secrets, *forms}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def value(self, value: Any) -> Any:
        """The same for every text inside a JSON value."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.value(item) for item in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {self(str(key)): self.value(item) for key, item in cast("dict[Any, Any]", value).items()}
        return value
