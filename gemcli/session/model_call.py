"""One model call with its attempts: retried, announced, and given up when it must be."""

import asyncio
import math
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from gemcli.api.model_client import ModelClient
from gemcli.api.models import token_limit
from gemcli.api.retry import Retries
from gemcli.clock import Clock
from gemcli.errors import ApiError
from gemcli.events import (
    ApiCallFinished,
    Choice,
    Chosen,
    Event,
    ModelSwitched,
    Retrying,
    TextDelta,
)
from gemcli.session.failure import failure
from gemcli.session.guards import Budget
from gemcli.session.loops import LoopDetector
from gemcli.session.questions import Questions
from gemcli.session.reply import Reply
from gemcli.wire import GenerateRequest, Usage

RequestTo = Callable[[str], GenerateRequest]
"""The request as it goes to a model of this name."""
NOW, OTHER_MODEL, STOP = "now", "other model", "stop"
WORTH_ASKING = 2.0  # seconds; a shorter wait is over before anyone has read the question


@dataclass(frozen=True, slots=True)
class CallGuards:
    """What may end a call before its time."""

    loops: LoopDetector
    budget: Budget


class ModelCall:
    """`reply` is the attempt under way: what is lost when the call is cancelled."""

    def __init__(
        self,
        client: ModelClient,
        clock: Clock,
        questions: Questions,
        guards: CallGuards,
        retries: Callable[[], Retries],
        emit: Callable[[Event], None],
    ) -> None:
        self._client = client
        self._clock = clock
        self._questions = questions
        self._loops = guards.loops
        self._check_budget = guards.budget.check
        self._new_retries = retries
        self.emit = emit
        self.reply = Reply()

    async def run(self, model: str, request_to: RequestTo, *, answers_tools: bool) -> tuple[Reply, str]:
        """A usable answer, and the model that gave it: a person may choose another one while waiting."""
        retries, request = self._new_retries(), request_to(model)
        while True:
            problem = await self._attempt(request, answers_tools)
            if problem is None:
                return self.reply, model
            delay = retries.wait_after(problem)
            if delay is None:
                raise problem
            self._check_budget(self.emit)  # a failed attempt is paid for, too
            self.emit(Retrying(retries.failures, delay, problem.message))
            self.reply = Reply()
            self._loops.start_attempt()
            other = await self._wait(delay, problem)
            if other:
                before, model, request, retries = request.model, other, request_to(other), self._new_retries()
                self.emit(ModelSwitched(before, request.model, "chosen while waiting"))

    async def _attempt(self, request: GenerateRequest, answers_tools: bool) -> ApiError | None:
        started = self._clock.now()
        reply = self.reply = Reply()
        problem: ApiError | None = None
        try:
            await self._read(request, reply)
            problem = reply.problem(answers_tools)
        except ApiError as error:
            problem = error
        self.emit(
            ApiCallFinished(
                request.model,
                "main",
                self._clock.now() - started,
                reply.usage,
                failure(problem) if problem is not None else None,
                _context_left(request.model, reply.usage),
            )
        )
        return problem

    async def _read(self, request: GenerateRequest, reply: Reply) -> None:
        async with aclosing(self._client.stream(request)) as chunks:
            async for chunk in chunks:
                for event in reply.add(chunk):
                    self.emit(event)
                    if isinstance(event, TextDelta) and (loop := self._loops.said(event.text)):
                        reply.loop = loop
                        return

    async def _wait(self, delay: float, problem: ApiError) -> str | None:
        """Until the delay is over or a person decides; gives the model they chose instead."""
        if delay <= WORTH_ASKING:
            await self._clock.sleep(delay)
            return None
        text = f"{problem.message} The next attempt is in {math.ceil(delay)} s."
        question = Choice("The service did not answer", text, (NOW, OTHER_MODEL, STOP))
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(self._questions.ask(question, self.emit))
            sleeping = group.create_task(self._clock.sleep(delay))
            await asyncio.wait((asking, sleeping), return_when=asyncio.FIRST_COMPLETED)
            asking.cancel()
            sleeping.cancel()
        if asking.cancelled():
            return None
        match asking.result():
            case Chosen(option=option, text=model) if option == OTHER_MODEL and model:
                return model
            case Chosen(option=option) if option == STOP:
                raise problem
            case _:
                return None


def _context_left(model: str, usage: Usage | None) -> int | None:
    limit, used = token_limit(model), usage.prompt_token_count if usage is not None else None
    return max(0, limit - used) if limit is not None and used is not None else None
