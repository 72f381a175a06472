"""The files a session has had to do with: their folders' context files are given when they are first touched."""

from collections.abc import Iterable
from pathlib import Path

from gemcli.config.context import ContextFile, ContextFiles, joined
from gemcli.tools.workspace import printable


class Touched:
    def __init__(self, context: ContextFiles | None = None) -> None:
        self._context = context
        self._paths: dict[Path, None] = {}

    def note(self, paths: Iterable[Path]) -> str:
        """Remember these; gives the context files that come with them, if the model has not had them yet."""
        found: list[ContextFile] = []
        for path in paths:
            self._paths.pop(path, None)
            self._paths[path] = None  # the most recent last
            found += self._context.on_touching(path) if self._context is not None else []
        return (
            f"--- Newly Discovered Project Context ---\n{joined(found)}\n--- End Project Context ---" if found else ""
        )

    def take_warnings(self) -> list[str]:
        return self._context.take_warnings() if self._context is not None else []

    def keepsake(self) -> str:
        """What the model must not forget when the conversation is compressed."""
        return (
            "Files touched so far:\n" + "\n".join(f"- {printable(str(path))}" for path in self._paths)
            if self._paths
            else ""
        )
