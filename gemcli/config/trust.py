"""Which folders the user trusts, and what in a folder needs trust at all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from gemcli.config.jsonc import JsoncError, parse_jsonc
from gemcli.config.paths import Paths
from gemcli.errors import ConfigError


class Word(StrEnum):
    """What `trustedFolders.json` says about a path."""

    FOLDER = "TRUST_FOLDER"
    PARENT = "TRUST_PARENT"
    NO = "DO_NOT_TRUST"


@dataclass(frozen=True, slots=True)
class TrustedFolders:
    """The most particular word about a folder counts; links are resolved first."""

    words: Mapping[Path, Word]

    def trusts(self, folder: Path) -> bool:
        folder = folder.resolve()
        best: tuple[int, bool] = (-1, False)
        for path, word in self.words.items():
            root = path.parent if word is Word.PARENT else path
            if folder.is_relative_to(root):
                best = max(best, (len(root.parts), word is not Word.NO), key=lambda each: each[0])
        return best[1]


def read_trusted_folders(path: Path) -> TrustedFolders:
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        values: Any = parse_jsonc(data)
    except JsoncError as error:
        raise ConfigError(f"{path}:{error.line}:{error.column}: this is not valid JSON: {error.message}.") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: trusted folders must be an object in braces.")
    known = set(Word)
    found = cast("dict[str, object]", values).items()
    return TrustedFolders({Path(name).resolve(): Word(str(word)) for name, word in found if word in known})


def things_to_trust(paths: Paths, context_names: Sequence[str]) -> list[str]:
    """What a folder holds that would be read or run: the user must have said yes to it."""
    return sorted({_short(path, paths.project) for path in _found(paths, context_names)})


def _found(paths: Paths, context_names: Sequence[str]) -> Iterator[Path]:
    for folder in paths.project_folders:
        yield from (path for name in (*context_names, ".env") if (path := folder / name).is_file())
        own = folder / ".gemini"
        if own.is_dir() and own.resolve() != paths.gemini.resolve():
            yield from _entries(own)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        yield folder  # it cannot be looked into; that it is there is reason enough to ask


def _short(path: Path, project: Path) -> str:
    return str(path.relative_to(project)) if path.is_relative_to(project) else str(path)
