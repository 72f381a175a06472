"""The environment: what `.env` files add to it, and what it says about settings."""

from collections.abc import Mapping, MutableMapping

from gemcli.config.catalogue import EXCLUDED_ENV, IGNORE_LOCAL_ENV, MODEL_NAME, SANDBOX_WANTED
from gemcli.config.dotenv import DotEnv, find_project_env, find_user_env
from gemcli.config.layers import Layer, nested
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings


def is_true(value: str | None) -> bool:
    return (value or "").strip().lower() in ("1", "true")


def load_env(env: MutableMapping[str, str], paths: Paths, settings: Settings, *, wants_project: bool) -> list[DotEnv]:
    """Only variables that are not set yet are set."""
    project = None
    if wants_project and not settings.get(IGNORE_LOCAL_ENV):
        project = find_project_env(paths.project, paths.home, set(settings.get(EXCLUDED_ENV)))
    user = find_user_env(paths.home, alone=project is None)
    loaded = [each for each in (project, user) if each is not None]
    for each in loaded:
        for name, value in each.values.items():
            env.setdefault(name, value)
    return loaded


def env_layers(env: Mapping[str, str]) -> list[Layer]:
    layers: list[Layer] = []
    if model := env.get("GEMINI_MODEL"):
        layers.append(Layer("GEMINI_MODEL", nested(MODEL_NAME.key, model)))
    if sandbox := env.get("GEMINI_SANDBOX", "").strip():
        wanted = {"true": True, "1": True, "false": False, "0": False}.get(sandbox.lower(), sandbox)
        layers.append(Layer("GEMINI_SANDBOX", nested(SANDBOX_WANTED.key, wanted)))
    return layers
