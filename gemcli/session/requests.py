"""Builds what is sent: pieces that were serialised before, joined."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gemcli.api.models import Models
from gemcli.session.history import History
from gemcli.tools.registry import ToolRegistry
from gemcli.wire import GenerateRequest, text_content


class Requests:
    """`prompt_id` names the prompt that everything belongs to until the next one; `side_model` answers what is asked
    beside the conversation, if it is named."""

    def __init__(
        self, history: History, models: Models, tools: ToolRegistry, system_prompt: str, side_model: str = ""
    ) -> None:
        self._history = history
        self._models = models
        self._tools = tools
        self.system = text_content("user", system_prompt).to_bytes() if system_prompt else None
        self._side_model = side_model
        self.prompt_id = ""

    def main(self, name: str) -> GenerateRequest:
        """The conversation, to a model of this name."""
        asked = self._models.config(name)
        return GenerateRequest(
            model=asked.model,
            contents=self._history.data(),
            prompt_id=self.prompt_id,
            system_instruction=self.system,
            tools=self._tools.declarations(),
            tool_config=self._tools.tool_config(),
            generation_config=_dumps(asked.generation),
        )

    def aside(
        self, name: str, contents: Sequence[bytes], system_prompt: str = "", generation: Mapping[str, Any] | None = None
    ) -> GenerateRequest:
        """A question of its own, without tools."""
        asked = self._models.config(self._side_model or name)
        return GenerateRequest(
            model=asked.model,
            contents=contents,
            prompt_id=self.prompt_id,
            system_instruction=text_content("user", system_prompt).to_bytes() if system_prompt else None,
            generation_config=_dumps(asked.generation if generation is None else generation),
        )

    def fixed_size(self) -> int:
        """About how many tokens go along with every request: the system instruction and the tools."""
        return (len(self.system or b"") + len(self._tools.declarations() or b"")) // 4

    def resolved(self, name: str) -> str:
        return self._models.config(name).model


def _dumps(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
