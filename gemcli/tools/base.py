"""What a tool is to the rest of the program."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable


class Tool(Protocol):
    """A function the model may call. A failure is raised as ToolError; cancelling is ordinary task cancelling."""

    @property
    def name(self) -> str: ...

    @property
    def declaration(self) -> Mapping[str, object]:
        """`name`, `description` and `parametersJsonSchema`, as the model gets them."""
        ...

    async def run(self, args: Mapping[str, object]) -> str:
        """Do it; what is returned goes to the model."""
        ...


@runtime_checkable
class Remembers(Protocol):
    """A tool with something that must survive compression, such as an open list of things to do."""

    def keepsake(self) -> str:
        """The text to keep; empty when there is nothing."""
        ...


@runtime_checkable
class Touches(Protocol):
    """A tool that has to do with files."""

    def touches(self, args: Mapping[str, object]) -> Sequence[Path]:
        """The files that a call with these arguments is about."""
        ...
