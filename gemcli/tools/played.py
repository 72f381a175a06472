"""Tools that say what a recording says they said: for playing a demo, not for doing anything."""

from collections.abc import Iterable, Iterator, Mapping

from gemcli.errors import ToolError


class PlayedTool:
    def __init__(self, name: str, outputs: Iterable[str]) -> None:
        self.name = name
        self._outputs: Iterator[str] = iter(list(outputs))

    @property
    def declaration(self) -> Mapping[str, object]:
        return {
            "name": self.name,
            "description": "Played from a recording.",
            "parametersJsonSchema": {"type": "object"},
        }

    async def run(self, args: Mapping[str, object]) -> str:
        output = next(self._outputs, None)
        if output is None:
            raise ToolError(f"The recording has no further result of {self.name}.")
        return output


def played_tools(outputs: Iterable[tuple[str, str]]) -> list[PlayedTool]:
    by_name: dict[str, list[str]] = {}
    for name, output in outputs:
        by_name.setdefault(name, []).append(output)
    return [PlayedTool(name, each) for name, each in by_name.items()]
