"""Settings: their layers, their syntax, and that every known key has an answer."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemcli.config.catalogue import BY_KEY, CATALOGUE, EXCLUDED_ENV, FOLDER_TRUST, HOOKS, MAX_ATTEMPTS, MODEL_NAME
from gemcli.config.interpolate import interpolated
from gemcli.config.jsonc import JsoncError, parse_jsonc
from gemcli.config.layers import Layer, nested
from gemcli.config.old_keys import OLD_KEYS, renewed
from gemcli.config.setting import State
from gemcli.config.settings import Settings, Told

ROOT = Path(__file__).resolve().parent.parent
KNOWN = (Path(__file__).parent / "known_settings.txt").read_text().split()


# --- syntax ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("  \n", {}),
        ('{"a": 1}', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, /* three */ ], // end\n}', {"a": [1, 2]}),
        ('// first\n{"a": "// no /* comment */,}"}', {"a": "// no /* comment */,}"}),
        (r'{"a": "\"//\\", }', {"a": '"//\\'}),
        ('/* {"b": 2} */ {"a": 1}', {"a": 1}),
    ],
)
def test_json_with_comments(text: str, value: Any) -> None:
    assert parse_jsonc(text.encode()) == value


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b'{ "model": { "name": ', 1, 22),
        (b'{\n  // comment\n  "a" 1\n}', 3, 7),
        (b'{"a": "x\ny"}', 1, 9),
        (b'{\n"a": "\xff"}', 2, 7),
        (b"[" * 100_000, 1, 1),
        (b'{"a": ' + b"9" * 5000 + b"}", 1, 1),
        (b'{"a": 1 /* never ends', 1, 9),
    ],
)
def test_errors_have_a_place(data: bytes, line: int, column: int) -> None:
    with pytest.raises(JsoncError) as caught:
        parse_jsonc(data)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("comment", ["/" * 5000, "// a " * 2000, "/**/" * 3000, "/* * / */" * 1000])
def test_comments_take_time_in_proportion(comment: str) -> None:
    started = time.process_time()
    text = '{"ui": {"theme": "x"}, ' + comment + "\n}"
    assert parse_jsonc(text.encode()) == {"ui": {"theme": "x"}}
    assert time.process_time() - started < 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_plain_json_is_read_as_it_is(value: Any) -> None:
    import json

    assert parse_jsonc(json.dumps(value, ensure_ascii=False, indent=1).encode()) == (value if value != "" else "")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$NAME", "v"),
        ("a${NAME}b", "avb"),
        ("$NAMES ${NO}", "$NAMES ${NO}"),
        ("${NO:-other}", "other"),
        ("${EMPTY:-other}", "other"),
        ("${NAME:-other}", "v"),
        ("${NO:-}", ""),
        ("cost: 5$ $", "cost: 5$ $"),
    ],
)
def test_variables(text: str, result: str) -> None:
    env = {"NAME": "v", "EMPTY": ""}
    assert interpolated({"a": [text, 1]}, env) == {"a": [result, 1]}


# --- layers ---------------------------------------------------------------------------------


def settings(*values: dict[str, Any]) -> Settings:
    return Settings(Layer(f"file {n}", each) for n, each in enumerate(values, 1))


def test_later_layers_win_and_say_so() -> None:
    found = settings({"model": {"name": "a"}}, {"model": {"maxSessionTurns": 3}}, {"model": {"name": "b"}})
    assert found.told(MODEL_NAME) == Told("b", ("file 3",))
    assert found.told(MAX_ATTEMPTS) == Told(10, ("default",))


def test_lists_that_add_up_do() -> None:
    found = settings({"advanced": {"excludedEnvVars": ["A"]}}, {"advanced": {"excludedEnvVars": ["B", "A"]}})
    assert found.told(EXCLUDED_ENV) == Told(["DEBUG", "DEBUG_MODE", "A", "B"], ("file 1", "file 2"))
    hooks = settings({"hooks": {"a": [1], "b": [2]}}, {"hooks": {"b": [3]}})
    assert hooks.get(HOOKS) == {"a": [1], "b": [3]}


def test_a_wrong_type_is_said_and_falls_back() -> None:
    found = settings(
        {"model": {"name": "good"}}, {"model": {"name": 5}, "general": {"maxAttempts": True}, "ui": "dark"}
    )
    assert (found.get(MODEL_NAME), found.get(MAX_ATTEMPTS)) == ("good", 10)
    assert found.warnings == [
        "file 2: ui must be an object; it is ignored.",
        "file 2: general.maxAttempts must be a whole number; it is ignored.",
        "file 2: model.name must be a text; it is ignored.",
    ]


def test_unknown_keys_are_kept_and_null_is_nothing() -> None:
    found = settings({"new": {"thing": [1]}, "model": {"name": None, "newer": 1}})
    assert found.layers[0].find("new.thing") == [1]
    assert (found.get(MODEL_NAME), found.warnings) == ("auto", [])


def test_a_folder_cannot_trust_itself() -> None:
    own = Layer("folder", nested(FOLDER_TRUST.key, False), is_folders=True)
    assert Settings([own]).get(FOLDER_TRUST) is True
    assert settings(nested(FOLDER_TRUST.key, False)).get(FOLDER_TRUST) is False


def test_old_names() -> None:
    old = {"model": "m", "maxSessionTurns": 3, "theme": "x", "fileFiltering": {"respectGitIgnore": False}}
    assert renewed(old) == {
        "model": {"name": "m", "maxSessionTurns": 3},
        "ui": {"theme": "x"},
        "context": {"fileFiltering": {"respectGitIgnore": False}},
    }
    both = {"model": {"name": "new"}, "selectedAuthType": "vertex-ai", "security": {"auth": {"selectedType": "new"}}}
    assert renewed(both) == {"model": {"name": "new"}, "security": {"auth": {"selectedType": "new"}}}
    assert renewed({"vimMode": True, "general": "odd"}) == {"general": "odd"}


@pytest.mark.parametrize("key", sorted(set(OLD_KEYS.values())))
def test_old_names_lead_somewhere(key: str) -> None:
    groups = {setting.key.rsplit(".", 1)[0] for setting in CATALOGUE} | set(BY_KEY)
    assert key in groups


# --- every key has an answer ----------------------------------------------------------------


@pytest.mark.parametrize("key", KNOWN)
def test_every_known_key_is_honoured_or_said_not_to_be(key: str) -> None:
    """The keys of Gemini CLI, listed by hand: each is in the catalogue, and the docs say what becomes of it."""
    parts = key.split(".")
    setting = next((BY_KEY[name] for n in range(len(parts), 0, -1) if (name := ".".join(parts[:n])) in BY_KEY), None)
    assert setting is not None, f"{key} is unknown here"
    docs = (ROOT / "docs" / "settings.md").read_text()
    assert f"| `{setting.key}` |" in docs
    if setting.state is not State.HONOURED:
        assert setting.help in docs


@pytest.mark.parametrize("setting", CATALOGUE, ids=lambda setting: setting.key)
def test_defaults_are_of_their_kind(setting: Any) -> None:
    assert setting.kind.accepts(setting.default) or setting.default == ""


def test_no_key_is_listed_twice() -> None:
    assert len(BY_KEY) == len(CATALOGUE)
