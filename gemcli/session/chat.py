"""ChatSession: the conversation's public face."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gemcli.api.model_client import ModelClient
from gemcli.api.models import Models
from gemcli.api.prices import PRICES
from gemcli.api.retry import NO_ANSWER, Retries
from gemcli.clock import Clock
from gemcli.config.context import ContextFiles
from gemcli.errors import GemError, InputError
from gemcli.events import Answer, Event, Notice, NoticeLevel, TurnEnd, TurnFinished, TurnStarted
from gemcli.ids import NewId, new_uuid, random_id
from gemcli.kinds import ApprovalMode
from gemcli.scheduler.scheduler import Scheduler
from gemcli.session.compression import Compressor
from gemcli.session.cost import Cost
from gemcli.session.failure import failure
from gemcli.session.guards import Allowance, Budget, CallLimit
from gemcli.session.history import History
from gemcli.session.loops import LoopDetector
from gemcli.session.mentions import expand
from gemcli.session.model_call import CallGuards, ModelCall
from gemcli.session.prompts import mode_news
from gemcli.session.questions import Questions
from gemcli.session.requests import Requests
from gemcli.session.side_call import SideCalls
from gemcli.session.tokens import Meter
from gemcli.session.touched import Touched
from gemcli.session.turn import Engine, Turn
from gemcli.tools.registry import ToolRegistry
from gemcli.tools.workspace import Workspace
from gemcli.wire import Content, Part


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """What a session is told once, at its start. `model` may be an alias."""

    model: str
    system_prompt: str = ""
    opening: Sequence[Content] = ()
    warnings: Sequence[str] = ()
    session_id: str = field(default_factory=new_uuid)
    max_attempts: int = NO_ANSWER.attempts
    retries_network: bool = True
    max_turns: int = -1
    detects_loops: bool = True
    side_model: str = ""
    compression_threshold: float = 0.5
    asks_next_speaker: bool = False
    allowance: Allowance = field(default_factory=Allowance)


@dataclass(frozen=True, slots=True)
class Prompt:
    """`typed` is the part that a person wrote: only there does @path name a file. What came through a pipe is data."""

    text: str
    typed: str


@dataclass(frozen=True, slots=True)
class Services:
    """What a session works with."""

    client: ModelClient
    tools: ToolRegistry
    models: Models
    clock: Clock
    cost: Cost = field(default_factory=lambda: Cost(PRICES))
    workspace: Workspace | None = None
    context: ContextFiles | None = None
    new_id: NewId = random_id
    random: Callable[[], float] = random.random


class ChatSession:
    """A conversation.

    While a turn runs, four verbs may be called: `send`'s events are read, `answer`, `cancel`, `set_mode`.
    Each turn ends with exactly one TurnFinished, after which the history is valid and the next prompt may come.
    """

    def __init__(self, config: SessionConfig, services: Services, mode: ApprovalMode = ApprovalMode.DEFAULT) -> None:
        self.config = config
        self.mode = mode
        self._asked = config.model
        self.history = History(services.new_id)
        self._services = services
        self._engine = self._build_engine()
        self._news: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._prompts = 0
        self._task: asyncio.Task[None] | None = None
        self._is_read = False
        self._began = asyncio.Event()

    @property
    def model(self) -> str:
        """The model that is asked; an alias is resolved."""
        return self._engine.requests.resolved(self._asked)

    async def send(self, prompt: str | Prompt | list[Part]) -> AsyncGenerator[Event]:
        """One turn, as events. Leaving the iteration early cancels it (use `contextlib.aclosing`)."""
        if self._is_read:
            raise RuntimeError("a turn is already running")
        if isinstance(prompt, str):
            prompt = Prompt(prompt, prompt)
        if not prompt.text if isinstance(prompt, Prompt) else all(part.is_empty for part in prompt):
            raise InputError("The prompt is empty.")
        self._is_read = True
        try:
            await self.cancel()  # a turn whose reader left in a hurry may still be closing
            self._prompts += 1
            self._engine.requests.prompt_id = f"{self.config.session_id}#{self._prompts}"
            self._began.clear()
            events: asyncio.Queue[Event | None] = asyncio.Queue()
            self._task = asyncio.create_task(self._run(prompt, events))
            while (event := await events.get()) is not None:
                yield event
        finally:
            self._is_read = False
            await self.cancel()

    def answer(self, question_id: str, answer: Answer) -> None:
        """Answer an open question."""
        self._engine.questions.answer(question_id, answer)

    async def cancel(self) -> None:
        """Stop the turn that runs, if one does; its last event is TurnFinished(CANCELLED)."""
        task = self._task
        if task is not None and not task.done():
            await self._began.wait()  # a task that is cancelled before it began could say nothing any more
            task.cancel()
            await asyncio.wait((task,))

    def set_mode(self, mode: ApprovalMode) -> None:
        """The system instruction stays as it is; the model hears of the new mode with the next prompt."""
        if mode is not self.mode:
            self.mode = mode
            self.tell("mode", mode_news(mode))

    def tell(self, topic: str, text: str) -> None:
        """Something the system instruction says has changed; the model hears of it with the next prompt."""
        self._news[topic] = text

    def _take_news(self) -> list[str]:
        """What changed since the last prompt; of several changes of one thing, the last."""
        news = list(self._news.values())
        self._news.clear()
        return news

    async def compress(self) -> list[Event]:
        """Compress the history now, between turns; gives what happened."""
        if self._is_read:
            raise RuntimeError("a turn is running")
        events: list[Event] = []

        def emit(event: Event) -> None:
            self._engine.budget.add(event)
            events.append(event)

        self._is_read = True
        try:
            await self._engine.compressor.compress(self._asked, emit)
        except GemError as error:
            emit(Notice(NoticeLevel.ERROR, "compression", error.message))
        finally:
            self._is_read = False
        return events

    async def aclose(self) -> None:
        await self.cancel()
        await self._services.client.aclose()

    async def _run(self, prompt: Prompt | list[Part], events: asyncio.Queue[Event | None]) -> None:
        self._began.set()
        emit = partial(self._emit, events)
        turn = self._turn(emit)
        try:
            emit(TurnStarted(self._engine.requests.prompt_id, self.model))
            try:
                await turn.run(self._take_opening(), await self._expanded(prompt, emit))
                end = TurnFinished(TurnEnd.DONE)
            except asyncio.CancelledError:
                end = TurnFinished(TurnEnd.CANCELLED)
                turn.settle(None)
            except Exception as error:  # the one place where an error, a crash too, becomes an ended turn
                end = TurnFinished(TurnEnd.ERROR, failure(error))
                end = replace(end, withdrawn=turn.settle(error))
            self._asked = turn.model
            if end.withdrawn is not None:  # the model has not heard of what went with it
                self._news = self._told | self._news
        except Exception as fault:  # even closing the turn failed; the front end must hear of its end all the same
            end = TurnFinished(TurnEnd.ERROR, failure(fault))
        events.put_nowait(end)
        events.put_nowait(None)

    def _emit(self, events: asyncio.Queue[Event | None], event: Event) -> None:
        self._engine.budget.add(event)
        events.put_nowait(event)

    def _take_opening(self) -> Sequence[Content]:
        return () if len(self.history) else self.config.opening

    async def _expanded(self, prompt: Prompt | list[Part], emit: Callable[[Event], None]) -> list[Part]:
        """The prompt as it is sent: with what changed since the last one before it, and the files it names after it."""
        warnings = list(self.config.warnings) if not len(self.history) else []
        parts = [Part(text=prompt.text)] if isinstance(prompt, Prompt) else prompt
        if isinstance(prompt, Prompt) and "@" in prompt.typed and self._services.workspace is not None:
            expansion = await asyncio.to_thread(expand, prompt.typed, self._services.workspace)
            parts, warnings = [*parts, *expansion.parts], [*warnings, *expansion.warnings]
        for text in warnings:
            emit(Notice(NoticeLevel.WARNING, "context", text))
        self._told = dict(self._news)
        return [*(Part(text=news) for news in self._take_news()), *parts]

    def _turn(self, emit: Callable[[Event], None]) -> Turn:
        services, engine = self._services, self._engine
        guards = CallGuards(engine.loops, engine.budget)
        call = ModelCall(services.client, services.clock, engine.questions, guards, self._retries, emit)
        return Turn(engine, call, self._asked)

    def _build_engine(self) -> Engine:
        config, services, history = self.config, self._services, self.history
        requests = Requests(history, services.models, services.tools, config.system_prompt, config.side_model)
        budget = Budget(config.allowance, services.cost)
        side_calls = SideCalls(services.client, services.clock, self._retries, budget)
        touched = Touched(services.context)

        def keepsakes() -> list[str]:
            return [text for text in (*services.tools.keepsakes(), touched.keepsake()) if text]

        scene = config.opening[0].text if config.opening else ""
        compressor = Compressor(history, requests, side_calls, Meter(), config.compression_threshold, keepsakes, scene)
        return Engine(
            history,
            Scheduler(services.tools, services.clock, touched.note),
            Questions(services.new_id),
            requests,
            CallLimit(config.max_turns),
            budget,
            LoopDetector(is_on=config.detects_loops),
            compressor,
            touched,
            config.asks_next_speaker,
        )

    def _retries(self) -> Retries:
        return Retries(self._services.random, self.config.max_attempts, self.config.retries_network)
