"""Context files: what people want the model to know, from GEMINI.md and its like."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gemcli.config.imports import Importer
from gemcli.config.paths import Paths

# Zero-width and direction marks, fillers, tags, escapes: text that a person does not see.
_HIDDEN = re.compile(
    "[\x1b\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


@dataclass(frozen=True, slots=True)
class ContextFile:
    """`shown` is the path as the model is told it."""

    path: Path
    shown: str
    text: str

    def framed(self) -> str:
        return f"--- Context from: {self.shown} ---\n{self.text.strip()}\n--- End of Context from: {self.shown} ---"


class ContextFiles:
    """Finds each file once: what was given at the start is not given again when a tool comes by its folder."""

    def __init__(self, paths: Paths, names: Sequence[str], markers: Sequence[str] = (".git",)) -> None:
        self._paths = paths
        self._names = names
        self._folders = paths.project_folders_by(markers)
        self._seen: set[tuple[int, int]] = set()
        self.warnings: list[str] = []

    def at_start(self, more_folders: Iterable[Path] = (), *, is_trusted: bool = True) -> list[ContextFile]:
        """The user's own, then the project's from the outermost folder to the one we are in."""
        found = list(self._in(self._paths.gemini, (self._paths.gemini.resolve(),)))
        if is_trusted:
            for folder in (*reversed(self._folders), *more_folders):
                found += self._in(folder, self._allowed(folder))
        return found

    def on_touching(self, path: Path) -> list[ContextFile]:
        """Those of the folders between the project and this path that were not given yet."""
        path, project = path.resolve(), self._paths.project.resolve()
        if not path.is_relative_to(project):
            return []
        between = [folder for folder in (path, *path.parents) if folder != project and folder.is_relative_to(project)]
        return [file for folder in reversed(between) for file in self._in(folder, self._allowed(folder))]

    def take_warnings(self) -> list[str]:
        """What there is to say since it was last asked."""
        taken, self.warnings = self.warnings, []
        return taken

    def _allowed(self, folder: Path) -> tuple[Path, ...]:
        top = self._folders[-1] if self._folders else folder
        return (top.resolve(), folder.resolve())

    def _in(self, folder: Path, allowed: tuple[Path, ...]) -> Iterator[ContextFile]:
        for name in self._names:
            path = folder / name
            if not self._is_new(path):
                continue
            if not any(path.resolve().is_relative_to(folder_) for folder_ in allowed):
                self.warnings.append(f"{path} leads out of the project; it is not read.")
                continue
            importer = Importer(allowed)
            text = importer.text_of(path)
            self.warnings += importer.problems
            if text is not None and text.strip():
                self._warn_of_hidden(path, text)
                yield ContextFile(path, self._shown(path), text)

    def _is_new(self, path: Path) -> bool:
        try:
            status = path.stat()
        except OSError:
            return False
        key = (status.st_dev, status.st_ino)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _warn_of_hidden(self, path: Path, text: str) -> None:
        hidden = sorted({f"U+{ord(character):04X}" for character in _HIDDEN.findall(text)})
        if hidden:
            self.warnings.append(f"{path} holds characters that cannot be seen: {', '.join(hidden)}.")

    def _shown(self, path: Path) -> str:
        project = self._paths.project
        shown = str(path.relative_to(project)) if path.is_relative_to(project) else str(path)
        return shown if shown.isprintable() else ascii(shown)


def joined(files: Iterable[ContextFile]) -> str:
    return "\n\n".join(file.framed() for file in files)
