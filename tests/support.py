"""What most tests need: a session on the fake service, a run of the program, a wait for a fact."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gemcli.api.connect import connect
from gemcli.api.models import Models
from gemcli.clock import Clock
from gemcli.config.context import ContextFiles
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings
from gemcli.events import Event
from gemcli.redact import Redactor
from gemcli.session import ChatSession, Services, SessionConfig
from gemcli.tools import Tool, ToolRegistry
from gemcli.tools.workspace import Workspace
from gemcli.trace import Trace
from tests.fake_clock import FakeClock
from tests.fake_gemini import FakeGemini

KEY = "test-key-0123456789"
MODEL = "gemini-2.5-pro"


def counting_ids() -> Callable[[str], str]:
    counts: dict[str, int] = {}

    def new_id(kind: str) -> str:
        counts[kind] = counts.get(kind, 0) + 1
        return f"{kind}-{counts[kind]}"

    return new_id


def around(env: Mapping[str, str], clock: Clock | None = None, **values: object) -> Surroundings:
    paths = Paths(home=Path.home(), project=Path.cwd())
    redactor = Redactor()
    return Surroundings(env, paths, Settings.of(values), clock or FakeClock(), redactor, Trace(redactor))


@asynccontextmanager
async def open_session(
    fake: FakeGemini,
    clock: Clock | None = None,
    tools: Iterable[Tool] = (),
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    workspace: Workspace | None = None,
    context: ContextFiles | None = None,
    **config: object,
) -> AsyncIterator[ChatSession]:
    clock = clock or FakeClock()
    env = env or {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": fake.url}
    session_config = SessionConfig(**{"model": MODEL, "session_id": "session-1"} | config)  # type: ignore[arg-type]
    client = connect(session_config.session_id, around(env, clock, **(settings or {})))
    services = Services(
        client=client,
        tools=ToolRegistry(tools),
        models=Models(),
        clock=clock,
        workspace=workspace,
        context=context,
        new_id=counting_ids(),
        random=lambda: 0.5,
    )
    session = ChatSession(session_config, services)
    try:
        yield session
    finally:
        await session.aclose()


async def said(session: ChatSession, prompt: str) -> list[Event]:
    """All events of one turn."""
    async with aclosing(session.send(prompt)) as events:
        return [event async for event in events]


@dataclass
class Running:
    """A turn that is read while the test does something about it."""

    events: list[Event]
    task: asyncio.Task[None]

    async def all(self) -> list[Event]:
        await self.task
        return self.events

    async def quiet(self) -> None:
        """Let everything that can happen now happen."""
        for _ in range(20):
            await asyncio.sleep(0)


@asynccontextmanager
async def running(session: ChatSession, prompt: str) -> AsyncIterator[Running]:
    events: list[Event] = []

    async def read() -> None:
        async with aclosing(session.send(prompt)) as arriving:
            async for event in arriving:
                events.append(event)

    task = asyncio.create_task(read())
    try:
        yield Running(events, task)
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def until(fact: Callable[[], object], seconds: float = 8) -> None:
    """Wait until the fact holds."""
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "it never came true"
        await asyncio.sleep(0.002)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str
    seconds: float = field(compare=False, default=0.0)


def program_env(fake: FakeGemini | None, **extra: str | None) -> dict[str, str]:
    """The environment of a spawned gemcli: this test's home, the fake's address, nothing else of ours."""
    env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    env["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)  # this checkout, wherever it is installed from
    if fake is not None:
        env |= {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": fake.url}
    for name, value in extra.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    return env


def gemcli(*args: str, fake: FakeGemini | None = None, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
    """Run the program once."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "gemcli", *args],
        input=stdin,
        capture_output=True,
        env=program_env(fake) if env is None else env,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), time.monotonic() - started)
