"""The loop: ask the model, run the tools it calls, tell it the results, until it has said all."""

from collections.abc import Sequence

from gemcli.errors import ApiError
from gemcli.events import ContentCommitted
from gemcli.scheduler.call import ToolCall
from gemcli.scheduler.scheduler import Batch, Scheduler
from gemcli.session.guards import CallLimit
from gemcli.session.history import Entry, History
from gemcli.session.model_call import ModelCall, RequestTo
from gemcli.session.parts import model_turn, real
from gemcli.session.reply import Reply
from gemcli.wire import Content, Part

SILENT = "[The model had nothing to add.]"
CANCELLED = "[The user stopped this turn before the answer was complete.]"
FAILED = "[This turn failed before the answer was complete.]"
_PROMPT_AT_FAULT = (400, 413)


class Turn:
    """One prompt and everything that follows from it.

    `model` is the name that was asked for.
    Whatever ends the turn, `settle` leaves a valid history that the next prompt can follow.
    """

    def __init__(
        self,
        history: History,
        call: ModelCall,
        scheduler: Scheduler,
        model: str,
        request_to: RequestTo,
        limit: CallLimit,
    ) -> None:
        self._history = history
        self._call = call
        self._scheduler = scheduler
        self._request_to = request_to
        self._limit = limit
        self._emit = call.emit
        self._batch: Batch | None = None
        self._prompt: Entry | None = None
        self.model = model

    async def run(self, opening: Sequence[Content], prompt: list[Part]) -> None:
        """`opening` is what a conversation begins with; empty for all turns but the first."""
        for content in opening:
            self._add(content)
        self._prompt = self._commit("user", real(prompt))
        while calls := await self._ask():
            await self._run_tools(calls)

    async def _ask(self) -> list[ToolCall]:
        """One answer of the model, committed; gives the calls it makes."""
        last = self._history.last
        answers_tools = last is not None and bool(last.responses)
        self._limit.step()
        reply, self.model = await self._call.run(self.model, self._request_to, answers_tools=answers_tools)
        self._call.reply = Reply()  # committed below: nothing of it is left to lose
        turn = model_turn(reply.parts, self._history.new_id)
        self._commit("model", turn.parts or [Part(text=SILENT)])
        if warning := reply.warning():
            self._emit(warning)
        return turn.calls

    async def _run_tools(self, calls: list[ToolCall]) -> None:
        self._batch = self._scheduler.batch(calls, self._emit)
        await self._batch.run()
        self._answer_calls()

    def _answer_calls(self) -> None:
        if self._batch is not None:
            self._commit("user", self._batch.responses())
            self._batch = None

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
        """The service refused this very prompt: kept, it would spoil every request to come."""
        return (
            isinstance(error, ApiError)
            and error.status in _PROMPT_AT_FAULT
            and self._prompt is not None
            and self._history.last is self._prompt.content
        )

    def _commit(self, role: str, parts: list[Part]) -> Entry:
        return self._add(Content(role=role, parts=parts))

    def _add(self, content: Content) -> Entry:
        entry = self._history.append(content)
        self._emit(ContentCommitted(entry.message_id, content))
        return entry
