"""A tool call as the model wrote it, made fit to run or to refuse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from gemcli.errors import ToolError
from gemcli.lenient_json import parse
from gemcli.wire import FunctionCall, FunctionResponse, JsonValue, Part


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`problem` says why the call cannot even be looked at; it is answered with that."""

    call_id: str
    name: str
    args: Mapping[str, JsonValue]
    problem: ToolError | None = None

    def answer(self, response: Mapping[str, JsonValue]) -> Part:
        return Part(function_response=FunctionResponse(id=self.call_id, name=self.name, response=dict(response)))

    def output(self, text: str) -> Part:
        return self.answer({"output": text})

    def failure(self, message: str) -> Part:
        return self.answer({"error": message})


def tool_call(call: FunctionCall) -> ToolCall:
    """From a call that has its id and name already."""
    name = call.name or ""
    try:
        return ToolCall(call.id or "", name, arguments(call))
    except ToolError as problem:
        return ToolCall(call.id or "", name, {}, problem)


def arguments(call: FunctionCall) -> dict[str, JsonValue]:
    """The call's arguments as an object: none at all and JSON in a string count, anything else is an error."""
    args = call.args
    if args is None:
        return {}
    if isinstance(args, str):
        try:
            args = cast("JsonValue", parse(args)) if args.strip() else {}
        except ValueError as error:
            raise _unusable(call, f"a string that is not JSON ({error})") from None
    if not isinstance(args, dict):
        raise _unusable(call, f"a {type(args).__name__}")
    return args


def _unusable(call: FunctionCall, found: str) -> ToolError:
    return ToolError(f'The arguments of "{call.name}" must be a JSON object; they were {found}.', "invalid_tool_params")
