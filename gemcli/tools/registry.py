"""The tools of a session, by name."""

import json
from collections.abc import Iterable

from gemcli.errors import ToolError
from gemcli.tools.base import Tool

NEAREST = 3


class ToolRegistry:
    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._declared: bytes | None = None
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool) -> None:
        self._tools[tool.name] = tool
        self._declared = None

    @property
    def names(self) -> list[str]:
        return list(self._tools)

    def find(self, name: str) -> Tool:
        """The tool of this name; ToolError with the nearest names when there is none."""
        if tool := self._tools.get(name):
            return tool
        raise ToolError(f'Tool "{name}" not found.{self._suggestion(name)}', "tool_not_registered")

    def declarations(self) -> bytes | None:
        """The `tools` field of a request; None when there is nothing to declare."""
        if not self._tools:
            return None
        if self._declared is None:
            functions = [dict(tool.declaration) for tool in self._tools.values()]
            declared = [{"functionDeclarations": functions}]
            self._declared = json.dumps(declared, ensure_ascii=False, separators=(",", ":")).encode()
        return self._declared

    def _suggestion(self, name: str) -> str:
        if not self._tools:
            return " No tools are available."
        from difflib import get_close_matches

        nearest = get_close_matches(name, self._tools, n=NEAREST, cutoff=0.0)
        return " Did you mean one of: " + ", ".join(f'"{each}"' for each in nearest) + "?"
