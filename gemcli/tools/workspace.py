"""The folders a session works in: what belongs to them, what is ignored, what they look like."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from gemcli.clock import Clock
from gemcli.errors import ToolError
from gemcli.tools.ignore import IgnoreRules

MOST_ENTRIES = 200
_MOST_IN_FOLDER = 5000  # a folder with more is not sorted as a whole
_TREE_SECONDS = 0.5
_COLLAPSED = {"node_modules", ".git", "dist", "build", "__pycache__", ".venv", "venv"}


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Which ignore files count."""

    use_git: bool = True
    use_gemini: bool = True
    more_files: tuple[Path, ...] = ()


class Workspace:
    """The first root is the project; paths are absolute and resolved before anything is decided about them."""

    def __init__(self, roots: Sequence[Path], ignoring: Ignoring | None = None) -> None:
        self.roots = tuple(dict.fromkeys(root.resolve() for root in roots))
        self._ignoring = ignoring or Ignoring()
        self._rules: dict[Path, IgnoreRules] = {}

    @property
    def project(self) -> Path:
        return self.roots[0]

    def root_of(self, path: Path) -> Path | None:
        return next((root for root in self.roots if path.is_relative_to(root)), None)

    def resolve(self, name: str) -> Path:
        """An absolute path inside the workspace, links and `..` resolved; ToolError for any other."""
        path = Path(os.path.realpath(self.project / Path(name).expanduser()))
        if self.root_of(path) is None:
            roots = ", ".join(str(root) for root in self.roots)
            message = (
                f'Path not in workspace: Attempted path "{name}" resolves outside the allowed workspace directories: '
                f"{roots}"
            )
            raise ToolError(message, "path_not_in_workspace")
        return path

    def ignores(self, path: Path, is_folder: bool) -> bool:
        root = self.root_of(path)
        if root is None:
            return False
        rules = self._rules.get(root)
        if rules is None:
            rules = self._rules[root] = IgnoreRules(
                root,
                use_git=self._ignoring.use_git,
                use_gemini=self._ignoring.use_gemini,
                more_files=self._ignoring.more_files,
            )
        return rules.ignores(path, is_folder)

    def entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        """What a folder holds and is not ignored: folders first, by name."""
        with os.scandir(folder) as found:
            listed = list(islice(found, _MOST_IN_FOLDER))
        listed.sort(key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
        for entry in listed:
            if not self.ignores(folder / entry.name, entry.is_dir(follow_symlinks=False)):
                yield entry

    def files(self, folder: Path) -> Iterator[Path]:
        """All files below a folder that are not ignored. Links to folders are not followed: they may lead round."""
        folders = [folder]
        while folders:
            folder = folders.pop()
            below: list[Path] = []
            try:
                for entry in self.entries(folder):
                    path = folder / entry.name
                    if entry.is_dir(follow_symlinks=False):
                        below.append(path)
                    elif entry.is_file() and (not entry.is_symlink() or self._is_ours(path)):
                        yield path
            except OSError:
                continue
            folders += reversed(below)

    def _is_ours(self, link: Path) -> bool:
        """What a link leads to belongs to the workspace and is not ignored."""
        target = Path(os.path.realpath(link))
        return self.root_of(target) is not None and not self.ignores(target, is_folder=False)


@dataclass(slots=True)
class _Node:
    name: str
    path: Path
    depth: int
    is_folder: bool
    below: list["_Node"] = field(default_factory=list["_Node"])
    is_cut: bool = False


def tree(workspace: Workspace, root: Path, clock: Clock, most: int = MOST_ENTRIES) -> str:
    """The folder as an indented list of at most `most` entries. What lies higher comes first when not all fits, and a
    huge or slow folder costs no more than a moment."""
    top = _Node(str(root), root, 0, True)
    deadline, left, queue = clock.now() + _TREE_SECONDS, most, [top]
    for node in queue:
        if left <= 0 or clock.now() > deadline:
            node.is_cut = True
            continue
        try:
            entries = workspace.entries(node.path)
            for entry in entries:
                if left <= 0:
                    node.is_cut = True
                    break
                left -= 1
                is_folder = entry.is_dir(follow_symlinks=False)
                child = _Node(entry.name, node.path / entry.name, node.depth + 1, is_folder)
                node.below.append(child)
                if is_folder and entry.name in _COLLAPSED:
                    child.is_cut = True
                elif is_folder:
                    queue.append(child)
        except OSError:
            node.is_cut = True
    return "\n".join(_lines(top))


def _lines(node: _Node) -> Iterator[str]:
    indent = "  " * node.depth
    yield f"{indent}{printable(node.name)}{'/' if node.is_folder else ''}"
    for child in node.below:
        yield from _lines(child)
    if node.is_cut:
        yield f"{indent}  …"


def printable(name: str) -> str:
    """File names may hold anything; a line break in one must not look like another file, and all must be UTF-8."""
    return name if name.isprintable() else ascii(name)[1:-1]
