"""What the service sent, as it may be sent back."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from gemcli.ids import NewId
from gemcli.scheduler.call import ToolCall, tool_call
from gemcli.wire import FunctionCall, Part

NO_SIGNATURE = "skip_thought_signature_validator"
NO_NAME = "unnamed_tool"


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What the model said as history keeps it, and the calls it makes."""

    parts: list[Part]
    calls: list[ToolCall]


def model_turn(parts: Iterable[Part], new_id: NewId) -> ModelTurn:
    """Every call with an id, a name and an object for arguments, the first one signed."""
    result = _signed(joined(_named(real(parts), new_id)))
    calls: list[ToolCall] = []
    for index, part in enumerate(result):
        if part.function_call is not None:
            call = tool_call(part.function_call)
            calls.append(call)
            sent = part.function_call.model_copy(update={"args": dict(call.args)})
            result[index] = part.model_copy(update={"function_call": sent})
    return ModelTurn(result, calls)


def real(parts: Iterable[Part]) -> list[Part]:
    """Without thoughts and empty parts."""
    return [
        part if _has_data(part) else part.model_copy(update={"text": ""})
        for part in parts
        if not part.thought and not part.is_empty
    ]


def joined(parts: Iterable[Part]) -> list[Part]:
    """Neighbours of plain text become one, as the model meant them before they were cut into chunks.

    A part that carries a signature is left alone: the signature belongs to exactly this part.
    """
    result: list[Part] = []
    for is_text, run in groupby(parts, key=lambda part: part.is_plain_text):
        if is_text:
            result.append(Part(text="".join(part.text or "" for part in run)))
        else:
            result.extend(run)
    return result


def _has_data(part: Part) -> bool:
    """A signature alone is no part: the service wants a data field beside it."""
    return bool(part.fields - {"thought_signature", "thought"})


def _named(parts: Iterable[Part], new_id: NewId) -> list[Part]:
    """Every call gets an id of its own and a name; a call that came twice counts once."""
    result: list[Part] = []
    seen: dict[str, FunctionCall] = {}
    for part in parts:
        call = part.function_call
        if call is None:
            result.append(part)
            continue
        if call.id and call == seen.get(call.id):
            continue
        call_id = call.id if call.id and call.id not in seen else new_id("call")
        seen[call_id] = call
        call = call.model_copy(update={"id": call_id, "name": call.name or NO_NAME})
        result.append(part.model_copy(update={"function_call": call}))
    return result


def _signed(parts: list[Part]) -> list[Part]:
    """The first call of a model turn must carry a signature; a stand-in where the service gave none."""
    for index, part in enumerate(parts):
        if part.function_call is not None:
            if not part.thought_signature:
                parts[index] = part.model_copy(update={"thought_signature": NO_SIGNATURE})
            break
    return parts
