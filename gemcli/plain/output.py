"""What every output format shares: where it writes, what it counts, how it ends."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from gemcli.api.prices import PRICES
from gemcli.clock import Clock
from gemcli.events import Event, Failure, Retrying, ToolCallChanged, TurnFinished
from gemcli.plain.escapes import EscapeFilter, without_escapes
from gemcli.plain.streams import Streams
from gemcli.redact import Redactor
from gemcli.session.cost import Cost
from gemcli.session.stats import Stats
from gemcli.trace import Trace

STOPPED = (130, 143)  # ended by a signal, which is no error of ours


@dataclass(slots=True)
class Run:
    """One headless run, as its output sees it."""

    streams: Streams
    clock: Clock
    redactor: Redactor
    session_id: str
    trace: Trace
    is_raw: bool = False
    cost: Cost = field(default_factory=lambda: Cost(PRICES))


class Output(ABC):
    """Prints events in one format: `begin`, events, `finish` or `fail`. A run that cannot begin only fails."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.stats = Stats()
        self.started = run.clock.now()
        self._filter = EscapeFilter()

    @abstractmethod
    def begin(self, model: str, prompt: str) -> None: ...

    @abstractmethod
    def show(self, event: Event) -> None: ...

    @abstractmethod
    def fail(self, failure: Failure) -> None:
        """The run is over, and not well."""

    @abstractmethod
    def finish(self) -> None:
        """The run is over, and well."""

    def add(self, event: Event) -> None:
        """Count it, say on standard error what belongs there, show it."""
        self.stats.add(event)
        self.run.cost.add(event)
        match event:
            case Retrying(attempt, delay, reason):
                self._filter = EscapeFilter()
                self.show(event)
                line = f"Attempt {attempt} failed: {reason.rstrip('.')}. Retrying after {round(delay * 1000)}ms..."
                self.tell(line)
                self.run.trace.note(line)
            case ToolCallChanged(call):
                self.show(event)
                if call.error is not None:
                    self.tell(f"Error executing tool {call.name}: {call.error.message}")
            case TurnFinished(error=None):
                self.finish()
            case TurnFinished(error=Failure() as failure):
                self.fail(failure)
            case _:
                self.show(event)

    def clean(self, text: str) -> str:
        """The model's text as it may be printed; pieces of one answer come one after the other."""
        return text if self.run.is_raw else self._filter.feed(text)

    def rest(self) -> str:
        """What the end of an answer shows to have been text after all."""
        return self._filter.flush()

    def tell(self, line: str) -> None:
        """A line for people, on standard error."""
        self.run.streams.tell(self.masked(line))

    def masked(self, text: str) -> str:
        """Words that are not the model's, without secrets and terminal control."""
        return self.run.redactor(without_escapes(text))

    def tell_failure(self, failure: Failure) -> None:
        word = "" if failure.exit_code in STOPPED else "Error: "
        self.tell(f"{word}{failure.message}")
        if failure.hint:
            self.tell(failure.hint)

    def error_json(self, failure: Failure) -> dict[str, Any]:
        message = f"{failure.message} {failure.hint}".rstrip()
        error = {"type": failure.type, "message": self.masked(message)}
        code = failure.status if failure.status is not None else failure.exit_code
        raw = {"raw": self.masked(failure.raw)} if failure.raw else {}
        return {"session_id": self.run.session_id, "error": error | {"code": code} | raw}

    def now(self) -> str:
        """The time as JSON has it."""
        return self.run.clock.today().isoformat(timespec="milliseconds").replace("+00:00", "Z")
