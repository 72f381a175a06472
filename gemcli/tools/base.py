"""What a tool is to the rest of the program."""

from collections.abc import Mapping
from typing import Protocol


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
