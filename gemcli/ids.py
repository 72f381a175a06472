"""Names for things that have none: sessions, messages, calls, questions."""

import os
from collections.abc import Callable

NewId = Callable[[str], str]
"""Makes an id for a kind of thing; no two are the same."""


def random_id(kind: str) -> str:
    return f"{kind}-{os.urandom(8).hex()}"


def new_uuid() -> str:
    """A random UUID (version 4), the form of session ids."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
