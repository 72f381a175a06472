"""Puts a run together: the one place where sessions are constructed and front ends are started."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from gemcli.api.connect import connect
from gemcli.api.models import DEFAULT, resolve
from gemcli.api.retry import NO_ANSWER
from gemcli.clock import SystemClock
from gemcli.config.paths import find_paths
from gemcli.config.settings import read_settings
from gemcli.config.surroundings import Surroundings
from gemcli.errors import InputError
from gemcli.kinds import ApprovalMode
from gemcli.options import Options
from gemcli.plain.headless import read_prompt, run_headless
from gemcli.redact import Redactor
from gemcli.session.chat import ChatSession, Services, SessionConfig
from gemcli.session.prompts import system_prompt
from gemcli.tools.registry import ToolRegistry


def run(options: Options, env: Mapping[str, str]) -> int:
    """Do what was asked; gives the exit code."""
    prompt = read_prompt(options)
    around = look_around(env)

    async def headless() -> int:
        return await run_headless(build(options, around), prompt, around.redactor)

    return asyncio.run(headless())


def look_around(env: Mapping[str, str]) -> Surroundings:
    try:
        project = Path.cwd()
    except OSError:
        raise InputError("The working directory no longer exists.", "Change to a folder that does.") from None
    paths = find_paths(env, project)
    return Surroundings(env, paths, read_settings(paths.user_settings), SystemClock(), Redactor())


def build(options: Options, around: Surroundings) -> ChatSession:
    settings = around.settings
    model = options.model or around.env.get("GEMINI_MODEL") or settings.get("model.name", str) or DEFAULT
    attempts = settings.get("general.maxAttempts", int) or NO_ANSWER.attempts
    config = SessionConfig(resolve(model), system_prompt(), max_attempts=min(attempts, NO_ANSWER.attempts))
    services = Services(connect(config.session_id, around), ToolRegistry(), around.clock)
    return ChatSession(config, services, options.approval_mode or ApprovalMode.DEFAULT)
