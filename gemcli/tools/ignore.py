"""Which files a project does not want looked at: .gitignore, .git/info/exclude, .geminiignore."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

MAX_BYTES = 1024 * 1024
MOST_STARS = 30  # a pattern with more is no pattern but an attack


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file, as git reads it."""

    regex: re.Pattern[str]
    is_negated: bool
    wants_folder: bool

    def matches(self, relative: str, is_folder: bool) -> bool:
        return (is_folder or not self.wants_folder) and self.regex.fullmatch(relative) is not None


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one file; they speak about what is below `base`."""

    base: str
    patterns: Sequence[Pattern]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Ignored, wanted after all, or not mentioned. The last line that matches counts."""
        prefix = self.base + "/"
        if not path.startswith(prefix):
            return None
        relative = path[len(prefix) :]
        for pattern in reversed(self.patterns):
            if pattern.matches(relative, is_folder):
                return not pattern.is_negated
        return None


class IgnoreRules:
    """The rules of a workspace root. A file in an ignored folder is ignored, whatever is said about the file itself."""

    def __init__(
        self, root: Path, *, use_git: bool = True, use_gemini: bool = True, more_files: Iterable[Path] = ()
    ) -> None:
        self._top = str(_top(root)) if use_git else str(root)
        self._use_git = use_git
        named = [root / ".geminiignore"] if use_gemini else []
        self._strongest = [found for path in (*more_files, *named) if (found := read_ignore_file(path, root))]
        self._weakest = self._exclude(_top(root)) if use_git else []
        self._folders: dict[str, list[IgnoreFile]] = {}
        self._known: dict[str, bool] = {}

    def ignores(self, path: Path | str, is_folder: bool) -> bool:
        text = str(path)
        if not text.startswith(self._top + "/"):
            return False
        parent = text.rpartition("/")[0]
        return self._folder_is_ignored(parent) or self._is_named(text, parent, is_folder)

    def _folder_is_ignored(self, folder: str) -> bool:
        if len(folder) <= len(self._top):
            return False
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = self.ignores(folder, is_folder=True)
        return known

    def _is_named(self, path: str, parent: str, is_folder: bool) -> bool:
        if self._use_git and path.endswith("/.git"):
            return True
        for file in (*self._strongest, *reversed(self._files(parent)), *self._weakest):
            verdict = file.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        return False

    def _files(self, folder: str) -> list[IgnoreFile]:
        """The .gitignore files that speak about this folder, from the top down."""
        if not self._use_git or len(folder) < len(self._top):
            return []
        found = self._folders.get(folder)
        if found is None:
            above = self._files(folder.rpartition("/")[0]) if len(folder) > len(self._top) else []
            own = read_ignore_file(Path(folder, ".gitignore"), Path(folder))
            found = self._folders[folder] = [*above, own] if own else above
        return found

    def _exclude(self, top: Path) -> list[IgnoreFile]:
        file = read_ignore_file(top / ".git" / "info" / "exclude", top)
        return [file] if file else []


def _top(root: Path) -> Path:
    """The folder that git knows, so that the ignore files above the root count."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)


def read_ignore_file(path: Path, base: Path) -> IgnoreFile | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    patterns = [pattern for line in text.splitlines() if (pattern := parse_pattern(line)) is not None]
    return IgnoreFile(str(base), patterns) if patterns else None


@lru_cache(maxsize=4096)
def parse_pattern(line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\)[ \t]+$", "", line.rstrip("\r"))
    if not line or line.startswith("#"):
        return None
    is_negated = line.startswith("!")
    line = line.removeprefix("!")
    wants_folder = line.endswith("/")
    line = line.rstrip("/")
    if not line:
        return None
    is_anchored = "/" in line
    if line.count("*") > MOST_STARS:
        return None
    regex = _regex(line.removeprefix("/"))
    try:
        return Pattern(re.compile(regex if is_anchored else f"(?:.*/)?{regex}", re.DOTALL), is_negated, wants_folder)
    except re.error:
        return None


def _fixed(glob: str, position: int) -> tuple[str, int]:
    """What stands between a star and the next star or slash, and where that ends."""
    result = ""
    while position < len(glob) and glob[position] not in "*/":
        piece, position = _one(glob, position)
        result += piece
    return result, position


def _one(glob: str, position: int) -> tuple[str, int]:
    """One character's worth of a glob."""
    rest = glob[position:]
    if rest[0] == "?":
        return "[^/]", position + 1
    if found := re.match(r"\[([!^]?)(\]?[^\]]*)\]", rest):
        inside = found[2].replace("\\", "\\\\").replace("[", "\\[")
        return f"(?!/)[{'^' if found[1] else ''}{inside}]", position + found.end()
    if rest[0] == "\\" and len(rest) > 1:
        return re.escape(rest[1]), position + 2
    return re.escape(rest[0]), position + 1


def _regex(glob: str) -> str:
    """A glob of git as a regular expression: `*` and `?` stay within a folder, `**` does not."""
    result, position = "", 0
    while position < len(glob):
        rest = glob[position:]
        if rest.startswith("**/") and (position == 0 or glob[position - 1] == "/"):
            result, position = result + "(?:.*/)?", position + 3
        elif rest == "**" and (position == 0 or glob[position - 1] == "/"):
            result, position = result + ".+", position + 2
        elif rest[0] == "*":
            position += len(rest) - len(rest.lstrip("*"))
            fixed, position = _fixed(glob, position)
            # A star before another star takes as little as it can and never thinks again: that is enough for globs,
            # and it keeps a pattern of many stars from taking for ever.
            is_last = "*" not in glob[position:].partition("/")[0]
            result += f"[^/]*{fixed}" if is_last else f"(?>[^/]*?{fixed})"
        else:
            piece, position = _one(glob, position)
            result += piece
    return result
