"""Files as text: bounded, never waiting, in whatever encoding they are."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024
_SNIFFED = 8192
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True, slots=True)
class FileBytes:
    """What was read of a file; `is_whole` says whether that is all of it."""

    data: bytes
    is_whole: bool


def read_bytes(path: Path, most: int = MAX_BYTES) -> FileBytes:
    """The first bytes of a regular file. Anything else (a folder, a device, a pipe) raises OSError at once."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it is not a regular file", str(path))
        data = file.read(most + 1)
    return FileBytes(data[:most], len(data) <= most)


def is_binary(data: bytes) -> bool:
    """No text in any encoding people use: it holds zero bytes and no mark that would explain them."""
    head = data[:_SNIFFED]
    return b"\0" in head and not any(head.startswith(bom) for bom, _ in _BOMS)


def decode(data: bytes) -> str:
    """As the byte order mark says, else UTF-8, else Latin-1's Windows form: every file is some text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
