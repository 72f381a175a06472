"""`@path` in a prompt: the files it names travel with it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from gemcli.errors import ToolError
from gemcli.tools.ignore import parse_pattern
from gemcli.tools.media import inline_part, mime_type
from gemcli.tools.text_file import MAX_BYTES, decode, is_binary, read_bytes
from gemcli.tools.workspace import Workspace, printable
from gemcli.wire import Part

_MENTION = re.compile(r"""(?<![\w\\@.])@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\"'<>|`])+))""")
_TRAILING = ".,;:!?)]}"
MOST_TEXT = 1024 * 1024  # characters of one file
MOST_FILES = 200
MOST_LOOKED_AT = 50_000  # files, for a pattern
MOST_IN_ALL = 8 * 1024 * 1024


@dataclass(slots=True)
class Expansion:
    """What goes along with a prompt, and what could not be taken."""

    parts: list[Part]
    warnings: list[str] = field(default_factory=list[str])


def expand(prompt: str, workspace: Workspace) -> Expansion:
    """A path that does not exist stays text, with a warning where it looks like one."""
    result = Expansion([])
    files: dict[Path, str] = {}
    for name in mentioned(prompt):
        for path in _named(name, workspace, result.warnings):
            files.setdefault(path, _shown(path, workspace))
    contents = list(_contents(files, result.warnings))
    if contents:
        frame = [Part(text="\n--- Content from referenced files ---"), *contents, Part(text="\n--- End of content ---")]
        result.parts += frame
    return result


def mentioned(prompt: str) -> list[str]:
    """The names after each @, quotes and backslashes taken away."""
    names = [found[1] or found[2] or re.sub(r"\\(.)", r"\1", found[3]) for found in _MENTION.finditer(prompt)]
    return list(dict.fromkeys(names))


def _named(name: str, workspace: Workspace, warnings: list[str]) -> Iterator[Path]:
    """The files a mention means: itself, what a folder holds, or what a pattern matches."""
    path = _existing(name, workspace)
    if path is None and name[-1] in _TRAILING:
        name = name.rstrip(_TRAILING)
        path = _existing(name, workspace) if name else None
    if path is not None:
        yield from _files(path, name, workspace, warnings)
    elif "*" in name:
        found = list(islice(_matching(name, workspace), MOST_FILES + 1))
        if not found:
            warnings.append(f"@{name}: no file matches.")
        yield from found
    elif "/" in name or "." in name:
        warnings.append(f"@{name}: there is no such file in the workspace; it is sent as text.")


def _existing(name: str, workspace: Workspace) -> Path | None:
    for root in workspace.roots:
        try:
            path = workspace.resolve(str(root / name))
            if path.exists():
                return path
        except (ToolError, OSError, ValueError):
            continue
    return None


def _files(path: Path, name: str, workspace: Workspace, warnings: list[str]) -> Iterator[Path]:
    if workspace.ignores(path, path.is_dir()):
        warnings.append(f"@{name}: it is ignored here (.gitignore or .geminiignore), so it is not sent.")
    elif path.is_dir():
        yield from islice(workspace.files(path), MOST_FILES + 1)
    else:
        yield path


def _matching(pattern: str, workspace: Workspace) -> Iterator[Path]:
    """A star stays within a folder, two do not; the pattern begins at a root."""
    for root in workspace.roots:
        pattern = pattern.removeprefix(f"{root}/")
    wanted = parse_pattern("/" + pattern.removeprefix("./"))
    if wanted is None:
        return
    for root in workspace.roots:
        for path in islice(workspace.files(root), MOST_LOOKED_AT):
            if wanted.matches(str(path.relative_to(root)), is_folder=False):
                yield path


def _contents(files: dict[Path, str], warnings: list[str]) -> Iterator[Part]:
    left = MOST_IN_ALL
    for number, (path, shown) in enumerate(files.items()):
        if number == MOST_FILES or left <= 0:
            warnings.append(f"Only the first {number} of the files named are sent: more is too much for one prompt.")
            return
        try:
            content = _content(path, min(left, MOST_TEXT), shown, warnings)
        except OSError as error:
            warnings.append(f"@{shown}: it cannot be read: {error.strerror}.")
            continue
        if content is not None:
            left -= len(content.text or (content.inline_data.data if content.inline_data else "") or "")
            yield Part(text=f"\nContent from @{shown}:\n")
            yield content


def _content(path: Path, most: int, shown: str, warnings: list[str]) -> Part | None:
    found = read_bytes(path)
    mime = mime_type(path)
    if mime is not None:
        if found.is_whole:
            return inline_part(found.data, mime)
        warnings.append(f"@{shown}: it is larger than {MAX_BYTES // 1024 // 1024} MB, so it is not sent.")
        return None
    if is_binary(found.data):
        warnings.append(f"@{shown}: it is a binary file, so it is not sent.")
        return None
    text = decode(found.data)
    if len(text) > most or not found.is_whole:
        warnings.append(f"@{shown}: only its first {most} characters are sent.")
        text = text[:most]
    return Part(text=text or "(the file is empty)")


def _shown(path: Path, workspace: Workspace) -> str:
    is_project = workspace.root_of(path) == workspace.project
    return printable(str(path.relative_to(workspace.project)) if is_project else str(path))
