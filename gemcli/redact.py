"""Keeps credentials out of everything that is shown or written."""

from collections.abc import Iterable

MASK = "[REDACTED]"
SHORTEST = 6  # anything shorter would mask ordinary words


class Redactor:
    """Replaces the credentials it was told of, wherever they turn up."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        if secret and len(secret) >= SHORTEST:
            self._secrets.add(secret)

    def __call__(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        return text
