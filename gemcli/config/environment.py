"""The environment: what `.env` files add to it, and what it says about settings."""

import os
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path

from gemcli.config.catalogue import EXCLUDED_ENV, IGNORE_LOCAL_ENV, MODEL_NAME, SANDBOX_WANTED
from gemcli.config.dotenv import DotEnv, find_project_env, find_user_env
from gemcli.config.layers import Layer, nested
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings


def is_true(value: str | None) -> bool:
    return (value or "").strip().lower() in ("1", "true")


def as_utf8(text: str) -> str:
    """A word from outside as UTF-8, whatever locale the interpreter thinks it has."""
    return os.fsencode(text).decode("utf-8", "replace")


def load_env(
    env: MutableMapping[str, str], paths: Paths, settings: Settings, is_trusted: Callable[[Path], bool] | None
) -> list[DotEnv]:
    """Only variables that are not set yet are set. Without `is_trusted` no project's file is read at all."""
    project = None
    if is_trusted is not None and not settings.get(IGNORE_LOCAL_ENV):
        ignored = set(settings.get(EXCLUDED_ENV))
        project = find_project_env(paths.project, paths.home, ignored, is_trusted)
    user = find_user_env(paths.home, alone=project is None)
    loaded = [each for each in (project, user) if each is not None]
    for each in loaded:
        for name, value in each.values.items():
            # The environment speaks the locale's encoding, the file UTF-8.
            env.setdefault(name, os.fsdecode(value.encode()))
    return loaded


def env_layers(env: Mapping[str, str]) -> list[Layer]:
    layers: list[Layer] = []
    if model := as_utf8(env.get("GEMINI_MODEL", "")):
        layers.append(Layer("GEMINI_MODEL", nested(MODEL_NAME.key, model)))
    if sandbox := env.get("GEMINI_SANDBOX", "").strip():
        wanted = {"true": True, "1": True, "false": False, "0": False}.get(sandbox.lower(), sandbox)
        layers.append(Layer("GEMINI_SANDBOX", nested(SANDBOX_WANTED.key, wanted)))
    return layers
