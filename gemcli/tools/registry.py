"""The tools of a session, by name."""

import json
from collections.abc import Iterable, Sequence

from gemcli.errors import InputError, ToolError
from gemcli.kinds import ToolMode
from gemcli.tools.base import Remembers, Tool

NEAREST = 3


class ToolRegistry:
    """Every tool that can run, and what the model is told of them."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._only: tuple[str, ...] = ()
        self._mode: ToolMode | None = None
        self._declared: bytes | None = None
        for tool in tools:
            self.register(tool)

    @property
    def names(self) -> list[str]:
        """Of the tools that are declared."""
        return [name for name in self._tools if not self._only or name in self._only]

    def register(self, tool: Tool) -> None:
        self._tools[tool.name] = tool
        self._declared = None

    def declare(self, only: Sequence[str] = (), mode: ToolMode | None = None) -> None:
        """Tell the model of these tools only, and whether it may, must or must not call them."""
        for name in only:
            if name not in self._tools:
                raise InputError(f'There is no tool "{name}".{self._suggestion(name)}')
        self._only, self._mode, self._declared = tuple(only), mode, None

    def find(self, name: str) -> Tool:
        """The tool of this name; ToolError with the nearest names when it was not declared."""
        if name in self._tools and (not self._only or name in self._only):
            return self._tools[name]
        raise ToolError(f'Tool "{name}" not found.{self._suggestion(name)}', "tool_not_registered")

    def declarations(self) -> bytes | None:
        """The `tools` field of a request; None when there is nothing to declare."""
        names = self.names
        if not names:
            return None
        if self._declared is None:
            self._declared = _dumps([{"functionDeclarations": [dict(self._tools[name].declaration) for name in names]}])
        return self._declared

    def tool_config(self) -> bytes | None:
        """The `toolConfig` field of a request; None leaves the choice to the model."""
        if self._mode is None or not self.names:
            return None
        calling: dict[str, object] = {"mode": self._mode.upper()}
        if self._mode is ToolMode.ANY and self._only:
            calling["allowedFunctionNames"] = list(self._only)
        return _dumps({"functionCallingConfig": calling})

    def keepsakes(self) -> list[str]:
        """What tools want the model to remember word for word when the conversation is compressed."""
        kept = (tool.keepsake() for tool in self._tools.values() if isinstance(tool, Remembers))
        return [text for text in kept if text]

    def _suggestion(self, name: str) -> str:
        if not self.names:
            return " No tools are available."
        from difflib import get_close_matches

        nearest = get_close_matches(name, self.names, n=NEAREST, cutoff=0.0)
        return " Did you mean one of: " + ", ".join(f'"{each}"' for each in nearest) + "?"


def _dumps(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
