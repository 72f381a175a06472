"""`@path` in context files: the file's text takes its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_DEPTH = 5
MAX_IMPORTS = 100
MAX_LINE = 2000
MAX_BYTES = 1024 * 1024
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_IMPORT = re.compile(r"(?<!\S)@((?:\\.|[^\s`\\])+)")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


@dataclass(slots=True)
class Importer:
    """Expands a file's imports. Nothing outside `allowed` is read; `problems` says what was not."""

    allowed: tuple[Path, ...]
    problems: list[str] = field(default_factory=list[str])
    left: int = MAX_IMPORTS

    def text_of(self, path: Path) -> str | None:
        """The file with all its imports; None when it cannot be read."""
        text = read_context(path)
        return None if text is None else self._expanded(text, path, (path.resolve(),))

    def _expanded(self, text: str, path: Path, above: tuple[Path, ...]) -> str:
        return "".join(line if is_code else self._line(line, path, above) for line, is_code in _lines_with_fences(text))

    def _line(self, line: str, path: Path, above: tuple[Path, ...]) -> str:
        """Imports outside inline code; a line that is too long for a person to have written is left alone."""
        if "@" not in line or len(line) > MAX_LINE:
            return line
        result, position = "", 0
        for code in (*_CODE.finditer(line), None):
            end = code.start() if code else len(line)
            result += _IMPORT.sub(lambda found: self._import(found, line, path, above), line[position:end])
            result += code[0] if code else ""
            position = code.end() if code else end
        return result

    def _import(self, found: re.Match[str], line: str, path: Path, above: tuple[Path, ...]) -> str:
        name = re.sub(r"\\(.)", r"\1", found[1])
        is_alone = line.strip() == found[0]
        try:
            target = (path.parent / name).resolve()
            problem = self._problem(target, above)
        except (OSError, ValueError):
            return found[0]  # nothing that could be a path
        self.left -= 1
        text = read_context(target) if not problem else None
        if text is None:
            if not is_alone and not target.is_file():
                return found[0]  # somebody's @name in a sentence, not a file
            self.problems.append(f"{path}: @{name} is not imported: {problem or 'it cannot be read'}.")
            return f"<!-- Import failed: {name} - {problem or 'it cannot be read'} -->"
        inside = self._expanded(text, target, (*above, target)).rstrip("\n")
        return f"<!-- Imported from: {name} -->\n{inside}\n<!-- End of import from: {name} -->"

    def _problem(self, target: Path, above: tuple[Path, ...]) -> str:
        if not any(target.is_relative_to(folder) for folder in self.allowed):
            return "it lies outside the allowed folders"
        if target in above:
            return "it imports itself"
        if len(above) > MAX_DEPTH:
            return f"imports are nested more than {MAX_DEPTH} deep"
        if self.left <= 0:
            return f"there are more than {MAX_IMPORTS} imports"
        return "" if target.is_file() else "there is no such file"


def read_context(path: Path) -> str | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return None


def _lines_with_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced block of code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        is_code = bool(fence or found)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        yield line, is_code
