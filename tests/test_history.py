"""History: valid after every step; and any heap of contents can be made valid."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemcli.session.history import History, misfit
from gemcli.session.repair import INTERRUPTED, LOST, repaired
from gemcli.wire import Content, text_content
from tests.fake_gemini import violations
from tests.support import counting_ids


def content(role: str, *parts: dict[str, Any]) -> Content:
    return Content.model_validate({"role": role, "parts": list(parts)})


def call(call_id: str | None, name: str = "t", **args: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args} | ({"id": call_id} if call_id else {})}


def response(call_id: str | None, name: str = "t", value: Any = None) -> dict[str, Any]:
    answer = {"output": "done"} if value is None else value
    return {"functionResponse": {"name": name, "response": answer} | ({"id": call_id} if call_id else {})}


U, M = text_content("user", "u"), text_content("model", "m")


@pytest.mark.parametrize(
    ("before", "bad"),
    [
        ([], M),
        ([U], U),
        ([U, M], M),
        ([U, M], content("user")),
        ([U, content("model", call("a"))], U),
        ([U, content("model", call("a"))], content("user", response("b"))),
        ([U, content("model", call("a"), call("b"))], content("user", response("b"), response("a"))),
        ([U, M], content("user", response("a"))),
    ],
)
def test_what_does_not_fit_is_refused(before: list[Content], bad: Content) -> None:
    history = History(counting_ids())
    for each in before:
        history.append(each)
    with pytest.raises(ValueError, match="does not fit"):
        history.append(bad)
    assert history.contents == before


def test_contents_are_serialised_once() -> None:
    history = History(counting_ids())
    history.append(U)
    first = history.data()[0]
    history.append(M)
    assert history.data()[0] is first


def sent(contents: list[Content]) -> list[dict[str, Any]]:
    return [each.to_json() for each in repaired(contents, counting_ids())]


SKIP = {"thoughtSignature": "skip_thought_signature_validator"}


def test_a_cut_file_gets_its_missing_responses() -> None:
    assert sent([U, content("model", call("a"), call("b")), content("user", response("b"))])[2]["parts"] == [
        response("a", value={"error": LOST}),
        response("b"),
    ]


def test_a_history_that_ends_with_calls_is_answered() -> None:
    assert sent([U, content("model", call("a"))])[2] == {
        "role": "user",
        "parts": [response("a", value={"error": LOST})],
    }


def test_two_prompts_in_a_row_get_a_note_between_them() -> None:
    roles = [(each["role"], each["parts"][0]["text"]) for each in sent([U, U, M])]
    assert roles == [("user", "u"), ("model", INTERRUPTED), ("user", "u"), ("model", "m")]


def test_two_answers_in_a_row_become_one() -> None:
    assert sent([U, M, content("model", {"text": "!"}, call("a")), content("user", response("a"))])[1] == {
        "role": "model",
        "parts": [{"text": "m!"}, call("a") | SKIP],
    }


def test_doubled_responses_count_once_and_strays_not_at_all() -> None:
    doubled = content("user", response("a"), response("a"), response("z"), {"text": "also"})
    assert sent([U, content("model", call("a")), doubled])[2]["parts"] == [response("a"), {"text": "also"}]
    assert sent([U, M, content("user", response("a"))]) == [U.to_json(), M.to_json()]


def test_the_simpler_dialect_is_read() -> None:
    """A "tool" role, no ids, `result` instead of `output`."""
    found = sent([U, content("model", call(None)), content("tool", response(None, value={"result": "found"}))])
    assert found[1]["parts"] == [call("call-1") | SKIP]
    assert found[2] == {"role": "user", "parts": [response("call-1", value={"output": "found"})]}


def test_thoughts_and_empty_parts_go() -> None:
    assert sent([U, content("model", {"text": "hm", "thought": True}, {"text": ""}), U, M]) == [
        U.to_json(),
        text_content("model", INTERRUPTED).to_json(),
        U.to_json(),
        M.to_json(),
    ]


def test_a_valid_history_stays_as_it_is() -> None:
    valid = [U, content("model", call("a") | {"thoughtSignature": "s"}), content("user", response("a")), M]
    assert repaired(valid, counting_ids()) == valid


IDS = st.sampled_from(["a", "b", "c", None, ""])
NAMES = st.sampled_from(["t", "u", "", None])
PARTS = st.one_of(
    st.builds(lambda value: {"text": value}, st.text(max_size=4)),
    st.builds(lambda value: {"text": value, "thought": True}, st.text(max_size=4)),
    st.builds(lambda value: {"text": value, "thoughtSignature": "s"}, st.text(max_size=4)),
    st.just({"thoughtSignature": "alone"}),
    st.just({"inlineData": {"mimeType": "image/png", "data": "AA=="}}),
    st.builds(
        lambda i, n, a: {"functionCall": {"id": i, "name": n, "args": a}},
        IDS,
        NAMES,
        st.sampled_from([{}, {"x": 1}, None, "{}", [1]]),
    ),
    st.builds(
        lambda i, n, r: {"functionResponse": {"id": i, "name": n, "response": r}},
        IDS,
        NAMES,
        st.sampled_from([{"output": "x"}, {"result": 1}, None, "text", {}]),
    ),
    st.just({}),
)
CONTENTS = st.lists(
    st.builds(
        lambda role, parts: Content.model_validate({"role": role, "parts": parts}),
        st.sampled_from(["user", "model", "tool", "function", None]),
        st.lists(PARTS, max_size=4),
    ),
    max_size=8,
)


@given(CONTENTS)
def test_any_heap_of_contents_becomes_a_valid_history(contents: list[Content]) -> None:
    result = repaired(contents, counting_ids())
    last: Content | None = None
    for each in result:
        assert misfit(last, each) == ""
        last = each
    if result:
        # As it would be sent: with a prompt of the user's at the end.
        tail = [] if result[-1].role == "user" else [U]
        assert violations({"contents": [each.to_json() for each in [*result, *tail]]}) == []
    assert repaired(result, counting_ids()) == result
