"""Makes any list of contents a valid history: files get cut, other programs write other dialects."""

from collections.abc import Iterable, Sequence

from gemcli.ids import NewId
from gemcli.session.history import misfit
from gemcli.session.parts import model_turn, real
from gemcli.wire import Content, FunctionCall, FunctionResponse, Part, text_content

LOST = "The result of this call was lost."
INTERRUPTED = "[The answer was interrupted here.]"


def repaired(contents: Iterable[Content], new_id: NewId) -> list[Content]:
    """The nearest valid history. One that is valid already comes back as it is."""
    result: list[Content] = []
    for content in contents:
        role = "model" if content.role == "model" else "user"  # "tool" and "function" speak for the user
        if role == "model":
            _add_model(result, real(content.parts), new_id)
        else:
            _add_user(result, real(content.parts))
    if result and result[-1].calls:
        _add_user(result, [])
    return result


def _add_model(result: list[Content], parts: list[Part], new_id: NewId) -> None:
    parts = [part for part in parts if part.function_response is None]
    if not parts or not result:
        return  # a model's words with no question before them cannot be sent
    if result[-1].role == "model" and not result[-1].calls:
        parts = [*result.pop().parts, *parts]
    elif result[-1].calls:
        _add_user(result, [])
    content = Content(role="model", parts=model_turn(parts, new_id).parts)
    assert not misfit(result[-1], content)
    result.append(content)


def _add_user(result: list[Content], parts: list[Part]) -> None:
    given = [part for part in parts if part.function_response is not None]
    spoken = [part for part in parts if part.function_response is None and part.function_call is None]
    last = result[-1] if result else None
    if last is not None and last.calls:
        result.append(Content(role="user", parts=[*_responses(last.calls, given), *spoken]))
    elif spoken:
        if last is not None and last.role == "user":
            result.append(text_content("model", INTERRUPTED))
        result.append(Content(role="user", parts=spoken))


def _responses(calls: Sequence[FunctionCall], given: list[Part]) -> list[Part]:
    """One response per call, in order; found by id, else by name, else said to be lost."""
    left = list(given)
    result: list[Part] = []
    for call in calls:
        part = _take(left, call)
        found = part.function_response if part is not None else None
        response = _plain_response(found)
        update = {"id": call.id, "name": call.name, "response": response}
        base = found if found is not None else FunctionResponse()
        result.append((part or Part()).model_copy(update={"function_response": base.model_copy(update=update)}))
    return result


def _take(left: list[Part], call: FunctionCall) -> Part | None:
    for same in ("id", "name"):
        for index, part in enumerate(left):
            response = part.function_response
            if response is None or (same == "name" and response.id and response.id != call.id):
                continue
            if getattr(response, same) == getattr(call, same):
                return left.pop(index)
    return None


def _plain_response(response: FunctionResponse | None) -> dict[str, object]:
    """An object with `output` or `error`; some programs write `result`, or no object at all."""
    value = response.response if response is not None else None
    if value is None:
        return {"error": LOST}
    if not isinstance(value, dict):
        return {"output": value}
    if set(value) == {"result"}:
        return {"output": value["result"]}
    return dict(value)
