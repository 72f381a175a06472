"""Which folders the user trusts, and what in a folder needs trust at all."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gemcli.config.jsonc import read_object
from gemcli.config.paths import Paths, is_there


class Word(StrEnum):
    """What `trustedFolders.json` says about a path."""

    FOLDER = "TRUST_FOLDER"
    PARENT = "TRUST_PARENT"
    NO = "DO_NOT_TRUST"


@dataclass(frozen=True, slots=True)
class TrustedFolders:
    """The most particular word about a folder counts, of two equal ones the no; links are resolved first."""

    words: Mapping[Path, Word]

    def trusts(self, folder: Path) -> bool:
        folder = folder.resolve()
        roots = (
            (path.parent if word is Word.PARENT else path, word is not Word.NO) for path, word in self.words.items()
        )
        said = [(len(root.parts), is_trusted) for root, is_trusted in roots if folder.is_relative_to(root)]
        most = max((depth for depth, _ in said), default=0)
        return bool(said) and all(is_trusted for depth, is_trusted in said if depth == most)


def read_trusted_folders(path: Path) -> TrustedFolders:
    """Entries that are no absolute paths, or cannot be followed, say nothing."""
    words: dict[Path, Word] = {}
    for name, word in (read_object(path, "trusted folders") or {}).items():
        if not isinstance(word, str) or word not in set(Word) or not Path(name).is_absolute():
            continue
        with suppress(OSError, RuntimeError, ValueError):
            words[Path(name).resolve()] = Word(word)
    return TrustedFolders(words)


def things_to_trust(paths: Paths, context_names: Sequence[str]) -> list[str]:
    """What a folder holds that would be read or run: the user must have said yes to it."""
    return sorted({_short(path, paths.project) for path in _found(paths, context_names)})


def _found(paths: Paths, context_names: Sequence[str]) -> Iterator[Path]:
    for folder in paths.project_folders:
        yield from (path for name in (*context_names, ".env") if is_there(path := folder / name))
        own = folder / ".gemini"
        if is_there(own) and not own.is_file() and own.resolve() != paths.gemini.resolve():
            yield from _entries(own)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        yield folder  # it cannot be looked into; that it is there is reason enough to ask


def _short(path: Path, project: Path) -> str:
    shown = str(path.relative_to(project)) if path.is_relative_to(project) else str(path)
    return shown if shown.isprintable() else ascii(shown)
