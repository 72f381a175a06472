"""What a run finds around it, read once at its start."""

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from gemcli.clock import Clock
from gemcli.config.catalogue import (
    CONTEXT_FILE_NAME,
    FOLDER_TRUST,
    HOOKS,
    HOOKS_ENABLED,
    MODEL_NAME,
    OUTPUT_FORMAT,
    SANDBOX_WANTED,
)
from gemcli.config.dotenv import DotEnv
from gemcli.config.environment import env_layers, is_true, load_env
from gemcli.config.layers import Layer, nested, read_layer
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings
from gemcli.config.trust import read_trusted_folders, things_to_trust
from gemcli.options import Options
from gemcli.redact import Redactor
from gemcli.trace import Trace

_SECRETS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_ACCESS_TOKEN")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`is_trusted`: somebody has said yes to the folder. `untrusted`: what would need that, and was not read."""

    env: Mapping[str, str]
    paths: Paths
    settings: Settings
    clock: Clock
    redactor: Redactor
    trace: Trace
    is_trusted: bool = True
    untrusted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def look_around(
    options: Options, env: MutableMapping[str, str], paths: Paths, clock: Clock, trace: Trace
) -> Surroundings:
    """Reads settings, trust and `.env` files; what the latter set is added to `env`."""
    outside = [read_layer(paths.system_defaults), read_layer(paths.user_settings)]
    above = read_layer(paths.system_settings)
    before_trust = _settings([*outside, above], env)
    is_trusted = _is_trusted(options, env, paths, before_trust)
    folder = None
    if is_trusted and paths.workspace_settings is not None:
        folder = read_layer(paths.workspace_settings, is_folders=True)
    files = [*outside, folder, above]
    trusts = _trusts_above(options, env, paths, before_trust) if is_trusted and not options.ignore_env else None
    loaded = load_env(env, paths, _settings(files, env), trusts)
    for name in _SECRETS:
        trace.redactor.add(env.get(name, "").strip())
    settings = _settings([*files, *env_layers(env), *_flag_layers(options)], env)
    warnings = [*settings.warnings, *_refused(loaded), *_sleeping_hooks(settings)]
    untrusted = () if is_trusted else _things_to_trust(paths, settings)
    return Surroundings(env, paths, settings, clock, trace.redactor, trace, is_trusted, untrusted, tuple(warnings))


def _settings(layers: list[Layer | None], env: Mapping[str, str]) -> Settings:
    return Settings(layer.filled(env) for layer in layers if layer is not None)


def _is_trusted(options: Options, env: Mapping[str, str], paths: Paths, settings: Settings) -> bool:
    """Somebody has said yes to this folder."""
    if options.skip_trust or is_true(env.get("GEMINI_CLI_TRUST_WORKSPACE")) or not settings.get(FOLDER_TRUST):
        return True
    return read_trusted_folders(paths.trusted_folders).trusts(paths.project)


def _trusts_above(options: Options, env: Mapping[str, str], paths: Paths, settings: Settings) -> Callable[[Path], bool]:
    """Whether a folder above the project is trusted: all where trust is off, those of the project where only this run's
    folder is, else what the user said of each."""
    if not settings.get(FOLDER_TRUST):
        return lambda folder: True
    if options.skip_trust or is_true(env.get("GEMINI_CLI_TRUST_WORKSPACE")):
        return paths.project_folders.__contains__
    return read_trusted_folders(paths.trusted_folders).trusts


def _things_to_trust(paths: Paths, settings: Settings) -> tuple[str, ...]:
    names = settings.get(CONTEXT_FILE_NAME)
    return tuple(things_to_trust(paths, [names] if isinstance(names, str) else names))


def _flag_layers(options: Options) -> list[Layer]:
    flags = {
        "--model": (MODEL_NAME.key, options.model),
        "--output-format": (OUTPUT_FORMAT.key, options.output_format),
        "--sandbox": (SANDBOX_WANTED.key, options.sandbox),
    }
    return [Layer(flag, nested(key, value)) for flag, (key, value) in flags.items() if value is not None]


def _refused(loaded: list[DotEnv]) -> list[str]:
    return [
        f"{each.path}: a project's .env may not set {', '.join(each.refused)}; ignored."
        for each in loaded
        if each.refused
    ]


def _sleeping_hooks(settings: Settings) -> list[str]:
    hooks = settings.get(HOOKS)
    if not hooks or not settings.get(HOOKS_ENABLED):
        return []
    return [f"Hooks are configured and do not run yet: {', '.join(hooks)}."]
