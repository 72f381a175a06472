"""Gemini's wire format as models.

Fields that a newer service adds are kept and sent back: history must survive an API that has moved on.
Fields that are not set are left out, never sent as null.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")


def _null_is_empty(value: object) -> object:
    return [] if value is None else value


def _count_or_none(value: object) -> object:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _object_or_none(value: object) -> object:
    return cast("object", value) if isinstance(value, dict | BaseModel) else None


Count = Annotated[int | None, BeforeValidator(_count_or_none)]
Listed = Annotated[list[Item], BeforeValidator(_null_is_empty)]


class Wire(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, alias_generator=to_camel, populate_by_name=True)

    def to_bytes(self) -> bytes:
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()

    def to_json(self) -> dict[str, JsonValue]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class FunctionCall(Wire):
    id: str | None = None
    name: str | None = None
    args: JsonValue = None


class FunctionResponse(Wire):
    id: str | None = None
    name: str | None = None
    response: JsonValue = None


class InlineData(Wire):
    mime_type: str | None = None
    data: str | None = None


class FileData(Wire):
    mime_type: str | None = None
    file_uri: str | None = None


class ExecutableCode(Wire):
    language: str | None = None
    code: str | None = None


class CodeExecutionResult(Wire):
    outcome: str | None = None
    output: str | None = None


class Part(Wire):
    """One piece of a message: exactly one of the data fields is set."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    inline_data: InlineData | None = None
    file_data: FileData | None = None
    executable_code: ExecutableCode | None = None
    code_execution_result: CodeExecutionResult | None = None

    @property
    def fields(self) -> set[str]:
        """The names of what is really there; a null is not sent and so counts as absent."""
        present = {name for name in self.model_fields_set if getattr(self, name) is not None}
        return present | {name for name, value in (self.model_extra or {}).items() if value is not None}

    @property
    def is_plain_text(self) -> bool:
        """Text and nothing else: such neighbours may be joined."""
        return self.fields == {"text"}

    @property
    def is_empty(self) -> bool:
        """Nothing that the service would accept or a person would miss."""
        return not self.text and self.fields <= {"text", "thought"}


class Content(Wire):
    """One message of the conversation; `role` is "user" or "model" when we write it."""

    role: str | None = None
    parts: Listed[Part] = []

    @property
    def calls(self) -> list[FunctionCall]:
        return [part.function_call for part in self.parts if part.function_call is not None]

    @property
    def responses(self) -> list[FunctionResponse]:
        return [part.function_response for part in self.parts if part.function_response is not None]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if part.text and not part.thought)


class Usage(Wire):
    """Counts; one that is no count is left out. An answer is not thrown away because its statistics are odd."""

    prompt_token_count: Count = None
    candidates_token_count: Count = None
    total_token_count: Count = None
    cached_content_token_count: Count = None
    thoughts_token_count: Count = None
    tool_use_prompt_token_count: Count = None


class Candidate(Wire):
    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class PromptFeedback(Wire):
    block_reason: str | None = None
    block_reason_message: str | None = None


class StreamChunk(Wire):
    """One event of an answer. One without candidates (usage only, call history) is normal."""

    candidates: Listed[Candidate] = []
    prompt_feedback: PromptFeedback | None = None
    usage_metadata: Annotated[Usage | None, BeforeValidator(_object_or_none)] = None
    model_version: str | None = None

    @property
    def candidate(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """A request whose pieces are JSON already: contents are serialised once, when they are committed."""

    model: str
    contents: Sequence[bytes]
    prompt_id: str
    system_instruction: bytes | None = None
    tools: bytes | None = None
    tool_config: bytes | None = None
    generation_config: bytes | None = None

    def body(self) -> bytes:
        """The request as one JSON object."""
        fields = [b'"contents":[' + b",".join(self.contents) + b"]"]
        for name, value in (
            (b"systemInstruction", self.system_instruction),
            (b"tools", self.tools),
            (b"toolConfig", self.tool_config),
            (b"generationConfig", self.generation_config),
        ):
            if value is not None:
                fields.append(b'"' + name + b'":' + value)
        return b"{" + b",".join(fields) + b"}"


def text_content(role: str, text: str) -> Content:
    return Content(role=role, parts=[Part(text=text)])
