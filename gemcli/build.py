"""The composition root: a session with everything it works with."""

import os
from pathlib import Path

from gemcli.api.connect import connect
from gemcli.api.model_client import ModelClient
from gemcli.api.models import Models
from gemcli.api.prices import price_list
from gemcli.api.replay import Recorder, Recording, Replayer, read_recording
from gemcli.api.retry import NO_ANSWER
from gemcli.config.catalogue import (
    APPROVAL_MODE,
    COMPRESSION_THRESHOLD,
    CONTEXT_FILE_NAME,
    CONTEXT_MARKERS,
    CONTEXT_OF_INCLUDED,
    CUSTOM_IGNORE_FILES,
    DIRECTORY_TREE,
    DISABLE_LOOP_DETECTION,
    INCLUDE_DIRECTORIES,
    MAX_ATTEMPTS,
    MAX_SESSION_TURNS,
    MODEL_CONFIGS,
    MODEL_NAME,
    PREVIEW_FEATURES,
    PRICES,
    RESPECT_GEMINI_IGNORE,
    RESPECT_GIT_IGNORE,
    RETRY_FETCH_ERRORS,
    SIDE_MODEL,
    SKIP_NEXT_SPEAKER,
)
from gemcli.config.context import ContextFiles, joined
from gemcli.config.surroundings import Surroundings
from gemcli.demo import RECORDING
from gemcli.errors import InputError
from gemcli.kinds import ApprovalMode
from gemcli.options import Options
from gemcli.session.chat import ChatSession, Services, SessionConfig
from gemcli.session.cost import Cost
from gemcli.session.guards import Allowance
from gemcli.session.instructions import system_instruction
from gemcli.session.opening import opening
from gemcli.session.prompts import PromptFacts
from gemcli.tools.played import played_tools
from gemcli.tools.registry import ToolRegistry
from gemcli.tools.workspace import Ignoring, Workspace


def build(options: Options, around: Surroundings, session_id: str, form: str = "") -> ChatSession:
    """`form` is what the model is told about the form of its answer."""
    settings = around.settings
    mode = options.approval_mode or ApprovalMode(settings.get(APPROVAL_MODE))
    workspace = open_workspace(options, around)
    recording = find_recording(options, around)
    tools = ToolRegistry(played_tools(recording.tool_outputs) if options.demo and recording is not None else ())
    tools.declare(options.tools, options.tool_mode)
    context = find_context(around)
    files = context.at_start(
        workspace.roots[1:] if settings.get(CONTEXT_OF_INCLUDED) else (), is_trusted=around.is_trusted
    )
    facts = PromptFacts(
        tools=tools.names,
        is_git=any((folder / ".git").exists() for folder in (workspace.project, *workspace.project.parents)),
        in_sandbox=bool(around.env.get("SANDBOX")),
        mode=mode,
        is_headless=True,
    )
    config = SessionConfig(
        settings.get(MODEL_NAME),
        "\n\n".join(filter(None, (system_instruction(facts, joined(files), around.env, around.paths), form))),
        opening(workspace, around.clock, with_tree=settings.get(DIRECTORY_TREE)),
        tuple(context.take_warnings()),
        session_id,
        max_attempts=max(1, min(settings.get(MAX_ATTEMPTS), NO_ANSWER.attempts)),
        retries_network=settings.get(RETRY_FETCH_ERRORS),
        max_turns=settings.get(MAX_SESSION_TURNS),
        side_model=settings.get(SIDE_MODEL),
        compression_threshold=settings.get(COMPRESSION_THRESHOLD),
        asks_next_speaker=not settings.get(SKIP_NEXT_SPEAKER),
        allowance=Allowance(options.budget, options.max_tokens, options.max_turns),
        detects_loops=not settings.get(DISABLE_LOOP_DETECTION),
    )
    prices = price_list(settings.get(PRICES))
    models = Models(settings.get(MODEL_CONFIGS), preview=settings.get(PREVIEW_FEATURES))
    for name in filter(None, (settings.get(MODEL_NAME), settings.get(SIDE_MODEL))):
        model = models.config(name).model
        if options.budget is not None and model not in prices:
            raise InputError(f"--budget needs a price, and none is known for {model}.", "Name one in billing.prices.")
    services = Services(
        open_client(options, around, session_id, recording),
        tools,
        models,
        around.clock,
        Cost(prices),
        workspace,
        context if around.is_trusted else None,
    )
    return ChatSession(config, services, mode)


def find_recording(options: Options, around: Surroundings) -> Recording | None:
    if options.demo:
        return read_recording(RECORDING, WORKSPACE=str(around.paths.project))
    return read_recording(around.paths.project / options.fake_responses) if options.fake_responses else None


def open_client(options: Options, around: Surroundings, session_id: str, recording: Recording | None) -> ModelClient:
    """The service; or a recording in its place, at the pace it was made when somebody watches."""
    if recording is not None:
        return Replayer(recording, around.clock, pace=1.0 if os.isatty(1) else 0.0)
    client = connect(session_id, around)
    if options.record_responses is None:
        return client
    return Recorder(client, around.paths.project / options.record_responses, around.clock, around.redactor)


def open_workspace(options: Options, around: Surroundings) -> Workspace:
    """The project, and the folders that flags and settings add to it."""
    settings, paths = around.settings, around.paths
    roots = [paths.project]
    for name in (*settings.get(INCLUDE_DIRECTORIES), *options.include_directories):
        folder = paths.project / (paths.home / name[2:] if name.startswith("~/") else Path(name))
        if not folder.is_dir():
            raise InputError(f"{name} is no folder that could belong to the workspace.")
        roots.append(folder)
    ignoring = Ignoring(
        settings.get(RESPECT_GIT_IGNORE),
        settings.get(RESPECT_GEMINI_IGNORE),
        tuple(paths.project / name for name in settings.get(CUSTOM_IGNORE_FILES)),
    )
    return Workspace(roots, ignoring)


def find_context(around: Surroundings) -> ContextFiles:
    names = around.settings.get(CONTEXT_FILE_NAME)
    names = [names] if isinstance(names, str) else names
    return ContextFiles(around.paths, names, around.settings.get(CONTEXT_MARKERS))
