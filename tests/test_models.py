"""Model names, generation configs, and what the model is told of its tools."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gemcli.api.models import Models, token_limit
from gemcli.errors import InputError
from gemcli.kinds import ToolMode
from gemcli.tools import ToolRegistry
from tests.fake_gemini import FakeGemini, call, text, turn
from tests.support import gemcli, program_env

OK = turn(text("hello"))
THINKING_2_5 = {"thinkingBudget": -1, "includeThoughts": True}


@pytest.mark.parametrize(
    ("name", "stable", "preview"),
    [
        ("auto", "gemini-2.5-pro", "gemini-3-pro-preview"),
        ("pro", "gemini-2.5-pro", "gemini-3-pro-preview"),
        ("flash", "gemini-2.5-flash", "gemini-3-flash-preview"),
        ("flash-lite", "gemini-2.5-flash-lite", "gemini-3.1-flash-lite"),
        ("auto-gemini-3", "gemini-3-pro-preview", "gemini-3-pro-preview"),
        ("auto-gemini-2.5", "gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini-1.5-pro", "gemini-1.5-pro", "gemini-1.5-pro"),
        ("my/own", "my/own", "my/own"),
    ],
)
def test_aliases(name: str, stable: str, preview: str) -> None:
    assert Models().config(name).model == stable
    assert Models(preview=True).config(name).model == preview


@pytest.mark.parametrize(
    ("model", "config"),
    [
        ("gemini-2.5-flash", {"temperature": 0, "topP": 1, "thinkingConfig": THINKING_2_5}),
        ("gemini-2.5-flash-image", {"temperature": 0, "topP": 1}),
        ("gemini-2.0-flash", {"temperature": 0, "topP": 1}),
        (
            "gemini-3.1-pro-preview",
            {
                "temperature": 1,
                "topP": 0.95,
                "topK": 64,
                "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
            },
        ),
        ("gemini-3-pro-image-preview", {"temperature": 1, "topP": 0.95, "topK": 64}),
        ("gemma-3-27b", {}),
    ],
)
def test_generation_by_family(model: str, config: dict[str, Any]) -> None:
    assert Models().config(model).generation == config


def test_limits() -> None:
    assert (token_limit("gemini-2.5-pro"), token_limit("models/gemini-3-pro-preview")) == (1_048_576, 1_048_576)
    for name in ("somebody-elses", "gemini-1.5-pro", "gemini-2.5-flash-image"):
        assert token_limit(name) is None


BUDGET = {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 5}}}
OWN = {
    "customAliases": {
        "base": {"modelConfig": {"model": "gemini-2.5-flash", "generateContentConfig": {"maxOutputTokens": 100}}},
        "terse": {"extends": "base", "modelConfig": {"generateContentConfig": {"temperature": 0.5}}},
        "round": {"extends": "round"},
    },
    "customOverrides": [
        {
            "match": {"model": "gemini-2.5-pro"},
            "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 128}, "topK": 7}},
        },
        "nonsense",
    ],
}


def test_the_users_own_configurations() -> None:
    models = Models(OWN)
    terse = models.config("terse")
    assert terse.model == "gemini-2.5-flash"
    expected = {"temperature": 0.5, "topP": 1, "maxOutputTokens": 100, "thinkingConfig": THINKING_2_5}
    assert terse.generation == expected
    pro = models.config("pro")
    assert pro.generation["thinkingConfig"] == {"thinkingBudget": 128, "includeThoughts": True}
    assert pro.generation["topK"] == 7
    assert models.config("round").model == "gemini-2.5-pro"
    level = Models({"overrides": [{"match": {"model": "gemini-3-pro-preview"}, "modelConfig": BUDGET}]})
    assert level.config("gemini-3-pro-preview").generation["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingBudget": 5,
    }
    scoped = {"match": {"model": "gemini-2.5-pro", "overrideScope": "agent"}, "modelConfig": BUDGET}
    assert Models({"overrides": [scoped]}).config("pro").generation["thinkingConfig"] == THINKING_2_5
    based = Models({"customAliases": {"mine": {"extends": "chat-base-2.5", "modelConfig": BUDGET}}})
    assert based.config("mine").model == "gemini-2.5-pro"


def test_at_work() -> None:
    folder = Path.home() / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"modelConfigs": OWN, "general": {"previewFeatures": True}}))
    with FakeGemini(OK, OK) as fake:
        assert gemcli("-p", "hi", "-m", "terse", fake=fake).code == 0
        assert gemcli("-p", "hi", fake=fake).code == 0
        first, second = fake.requests
        assert "/gemini-2.5-flash:" in first.path and "/gemini-3-pro-preview:" in second.path
        assert first.body["generationConfig"]["maxOutputTokens"] == 100


# --- what the model is told of its tools ----------------------------------------------------


class Named:
    def __init__(self, name: str) -> None:
        self.name = name
        self.declaration: Mapping[str, object] = {"name": name}

    async def run(self, args: Mapping[str, object]) -> str:
        return self.name


def told(*only: str, mode: ToolMode | None = None) -> tuple[list[str], Any]:
    registry = ToolRegistry([Named("read_file"), Named("glob"), Named("write_file")])
    registry.declare(only, mode)
    declared = json.loads(registry.declarations() or b"[]")
    config = registry.tool_config()
    return [each["name"] for each in declared[0]["functionDeclarations"]], config and json.loads(config)


def test_tool_modes() -> None:
    everything = ["read_file", "glob", "write_file"]
    assert told() == (everything, None)
    assert told("glob") == (["glob"], None)
    assert told(mode=ToolMode.NONE) == (everything, {"functionCallingConfig": {"mode": "NONE"}})
    assert told(mode=ToolMode.ANY) == (everything, {"functionCallingConfig": {"mode": "ANY"}})
    allowed = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["glob"]}}
    assert told("glob", mode=ToolMode.ANY) == (["glob"], allowed)
    assert told("glob", mode=ToolMode.AUTO) == (["glob"], {"functionCallingConfig": {"mode": "AUTO"}})
    with pytest.raises(InputError, match=r'no tool "globe"\. Did you mean one of: "glob"'):
        told("globe")


def test_a_tool_that_was_not_declared_cannot_be_called() -> None:
    registry = ToolRegistry([Named("read_file"), Named("glob")])
    registry.declare(["glob"])
    with pytest.raises(Exception, match='Tool "read_file" not found'):
        registry.find("read_file")


def test_the_flags() -> None:
    with FakeGemini(OK, turn(call("x")), OK) as fake:
        env = program_env(fake)
        assert gemcli("-p", "hi", "--tool-mode", "none", env=env).code == 0
        unknown = gemcli("-p", "hi", "--tools", "read_fil", env=env)
        assert unknown.code == 42 and "read_fil" in unknown.err
        assert "toolConfig" not in fake.requests[0].body  # nothing is declared yet, so there is nothing to forbid
