"""Folders and files that only their owner can read, written whole or not at all."""

import os
import tempfile
from pathlib import Path


def private_folder(path: Path) -> None:
    """Make the folder and those above it that are missing."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def new_private_file(path: Path, data: bytes = b"") -> None:
    """A file that was not there before; a link that somebody laid in its place is not followed."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that it is either the old one or the new one, never half of each."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
