"""The loop: ask the model, run the tools it calls, tell it the results, until it has said all."""

from collections.abc import Sequence
from dataclasses import dataclass

from gemcli.errors import ApiError, InputError, LoopError
from gemcli.events import Choice, Chosen, ContentCommitted, Notice, NoticeLevel
from gemcli.scheduler.call import ToolCall
from gemcli.scheduler.scheduler import Batch, Scheduler
from gemcli.session import next_speaker
from gemcli.session.compression import Compressor
from gemcli.session.guards import Budget, CallLimit
from gemcli.session.history import Entry, History
from gemcli.session.loops import LoopDetector
from gemcli.session.model_call import ModelCall
from gemcli.session.parts import model_turn, real
from gemcli.session.questions import Questions
from gemcli.session.reply import Reply
from gemcli.session.requests import Requests
from gemcli.session.touched import Touched
from gemcli.wire import Content, Part

SILENT = "[The model had nothing to add.]"
CANCELLED = "[The user stopped this turn before the answer was complete.]"
FAILED = "[This turn failed before the answer was complete.]"
RECOVERY = (
    "[You are going round in circles: {loop}. Stop and look at what you have. Say what you were trying to reach, then "
    "do something different, or say that you cannot go on and why.]"
)
GOING_ON = "[The user has seen that you repeat yourself ({loop}) and wants you to go on.]"
MOST_CONTINUED = 10  # times that a model is told to go on within one prompt
STOP, GO_ON = "stop", "go on"


@dataclass(frozen=True, slots=True)
class Engine:
    """What all turns of a session share."""

    history: History
    scheduler: Scheduler
    questions: Questions
    requests: Requests
    limit: CallLimit
    budget: Budget
    loops: LoopDetector
    compressor: Compressor
    touched: Touched
    asks_next_speaker: bool = False


class Turn:
    """One prompt and everything that follows from it.

    `model` is the name that was asked for.
    Whatever ends the turn, `settle` leaves a valid history that the next prompt can follow.
    """

    def __init__(self, engine: Engine, call: ModelCall, model: str) -> None:
        self._engine = engine
        self._history = engine.history
        self._call = call
        self._emit = call.emit
        self._batch: Batch | None = None
        self._prompt: Entry | None = None
        self._was_warned = False
        self._continued = 0
        self.model = model

    async def run(self, opening: Sequence[Content], prompt: list[Part]) -> None:
        """`opening` is what a conversation begins with; empty for all turns but the first."""
        for content in opening:
            self._add(content)
        self._prompt = self._commit("user", real(prompt))
        self._engine.compressor.request = self._prompt.content
        self._engine.loops.start()
        while await self._step():
            pass

    async def _step(self) -> bool:
        """One answer of the model and what follows from it; gives whether the model is to be asked again."""
        reply = await self._ask()
        if reply.loop:
            self._commit("model", reply.spoken() or [Part(text=SILENT)])
            self._commit("user", [Part(text=await self._way_out(reply.loop))])
            return True
        turn = model_turn(reply.parts, self._history.new_id)
        self._commit("model", turn.parts or [Part(text=SILENT)])
        if warning := reply.warning():
            self._emit(warning)
        if turn.calls:
            await self._run_tools(turn.calls)
            return True
        if not self._engine.asks_next_speaker or self._continued >= MOST_CONTINUED:
            return False
        return await self._goes_on()

    async def _goes_on(self) -> bool:
        """The model is asked whether it stopped in the middle of something; if so, it is told to go on."""
        contents = (*self._history.data(), next_speaker.question())
        request = self._engine.requests.aside(self.model, contents, generation=next_speaker.GENERATION)
        try:
            answer = await self._engine.compressor.side_calls.generate(request, "next_speaker", self._emit)
        except ApiError:
            return False  # it was a courtesy; the answer stands
        if not next_speaker.is_models_turn(answer):
            return False
        self._continued += 1
        self._commit("user", [Part(text=next_speaker.CONTINUE)])
        return True

    async def _ask(self) -> Reply:
        last = self._history.last
        answers_tools = last is not None and bool(last.responses)
        self._engine.limit.step()
        self._engine.budget.check(self._emit)
        await self._engine.compressor.make_room(self.model, self._emit)
        self._engine.budget.check(self._emit)  # making room may have used up what was left
        sent = len(self._history)
        reply, self.model = await self._call.run(self.model, self._engine.requests.main, answers_tools=answers_tools)
        self._engine.compressor.meter.saw(reply.usage, sent)
        self._call.reply = Reply()  # the caller commits it at once: nothing of it is left to lose
        return reply

    async def _run_tools(self, calls: list[ToolCall]) -> None:
        self._batch = self._engine.scheduler.batch(calls, self._emit)
        await self._batch.run()
        for warning in self._engine.touched.take_warnings():
            self._emit(Notice(NoticeLevel.WARNING, "context", warning))
        loop = self._engine.loops.called(calls, self._batch.responses())
        self._answer_calls([Part(text=await self._way_out(loop))] if loop else [])

    def _answer_calls(self, more: Sequence[Part] = ()) -> None:
        if self._batch is not None:
            self._commit("user", [*self._batch.responses(), *more])
            self._batch = None

    async def _way_out(self, loop: str) -> str:
        """What the model is told when it goes round in circles; the second time a person decides."""
        if not self._was_warned:
            self._was_warned = True
            self._emit(Notice(NoticeLevel.WARNING, "loop", f"A loop was detected: {loop}. The model is told so."))
            return RECOVERY.format(loop=loop)
        question = Choice("The model goes round in circles", f"Again, {loop}.", (STOP, GO_ON), default=STOP)
        match await self._engine.questions.ask(question, self._emit):
            case Chosen(option=option) if option == GO_ON:
                self._engine.loops.is_on = False
                return GOING_ON.format(loop=loop)
            case _:
                raise LoopError(f"Loop detected, stopping execution: {loop}.")

    def settle(self, error: Exception | None) -> str | None:
        """Close an unfinished turn (`error` is None when the user stopped it); gives the id of a withdrawn prompt."""
        self._answer_calls()
        last = self._history.last
        if last is None or last.role == "model":
            return None
        spoken = self._call.reply.spoken()
        if spoken:
            self._commit("model", spoken)
        elif self._is_refused(error):
            return self._history.withdraw().message_id
        else:
            self._commit("model", [Part(text=CANCELLED if error is None else FAILED)])
        return None

    def _is_refused(self, error: Exception | None) -> bool:
        """This very prompt cannot be sent: kept, it would spoil every request to come."""
        at_fault = isinstance(error, InputError) or (isinstance(error, ApiError) and error.blames_prompt)
        return at_fault and self._prompt is not None and self._history.last is self._prompt.content

    def _commit(self, role: str, parts: list[Part]) -> Entry:
        return self._add(Content(role=role, parts=parts))

    def _add(self, content: Content) -> Entry:
        entry = self._history.append(content)
        self._emit(ContentCommitted(entry.message_id, content))
        return entry
