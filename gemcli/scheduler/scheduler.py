"""Runs the tool calls of one model turn and has an answer for each of them at any moment."""

from collections.abc import Callable, Sequence
from pathlib import Path

from gemcli.clock import Clock
from gemcli.errors import ToolError
from gemcli.events import Event, Failure, TextDisplay, ToolCallChanged, ToolCallView
from gemcli.kinds import CallStatus
from gemcli.scheduler.call import ToolCall
from gemcli.tools.base import Touches
from gemcli.tools.registry import ToolRegistry
from gemcli.wire import Part

CANCELLED = "[Operation Cancelled] The user stopped this call before it was done."

Emit = Callable[[Event], None]
Touch = Callable[[Sequence[Path]], str]


class Scheduler:
    """`touch` is told which files a call had to do with; what it gives goes to the model with the call's result."""

    def __init__(self, registry: ToolRegistry, clock: Clock, touch: Touch = lambda paths: "") -> None:
        self._registry = registry
        self._clock = clock
        self._touch = touch

    def batch(self, calls: Sequence[ToolCall], emit: Emit) -> "Batch":
        return Batch(calls, self._registry, self._clock, self._touch, emit)


class Batch:
    """The calls of one model turn, in the order of the model.

    `responses()` is complete at any moment: a call that was not finished is answered as cancelled.
    """

    def __init__(
        self, calls: Sequence[ToolCall], registry: ToolRegistry, clock: Clock, touch: Touch, emit: Emit
    ) -> None:
        self._calls = calls
        self._registry = registry
        self._clock = clock
        self._touch = touch
        self._emit = emit
        self._answers: list[Part] = []

    async def run(self) -> None:
        for call in self._calls:
            self._show(call, CallStatus.VALIDATING)
        for call in self._calls:
            self._answers.append(await self._run(call))

    def responses(self) -> list[Part]:
        for call in self._calls[len(self._answers) :]:
            self._show(call, CallStatus.CANCELLED)
            self._answers.append(call.failure(CANCELLED))
        return list(self._answers)

    async def _run(self, call: ToolCall) -> Part:
        started = self._clock.now()
        try:
            if call.problem is not None:
                raise call.problem
            tool = self._registry.find(call.name)
            self._show(call, CallStatus.EXECUTING)
            output = await tool.run(call.args)
        except ToolError as error:
            return self._failed(call, error, started)
        except Exception as error:  # a broken tool must not take the turn with it
            return self._failed(call, ToolError(f"{type(error).__name__}: {error}", "unhandled_exception"), started)
        self._show(call, CallStatus.SUCCESS, display=TextDisplay(output), duration=self._clock.now() - started)
        found = self._touch(tool.touches(call.args)) if isinstance(tool, Touches) else ""
        return call.output(f"{output}\n\n{found}" if found else output)

    def _failed(self, call: ToolCall, error: ToolError, started: float) -> Part:
        failure = Failure(error.type, error.message)
        self._show(call, CallStatus.ERROR, error=failure, duration=self._clock.now() - started)
        return call.failure(error.message)

    def _show(
        self,
        call: ToolCall,
        status: CallStatus,
        *,
        display: TextDisplay | None = None,
        error: Failure | None = None,
        duration: float = 0.0,
    ) -> None:
        view = ToolCallView(
            call.call_id, call.name, status, call.args, title=call.name, display=display, error=error, duration=duration
        )
        self._emit(ToolCallChanged(view))
