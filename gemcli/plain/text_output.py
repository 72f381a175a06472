"""The text format: the model's words on standard output."""

import os
from typing import assert_never

from gemcli.events import (
    ApiCallFinished,
    ContentCommitted,
    Event,
    Failure,
    HistoryCompressed,
    ModelSwitched,
    Notice,
    QuestionAsked,
    Retrying,
    TextDelta,
    ThoughtDelta,
    ToolCallChanged,
    TurnFinished,
    TurnStarted,
)
from gemcli.plain.output import Output, Run

RAW_WARNING = (
    "[WARNING] --raw-output leaves terminal control sequences in the model's text; they can change what your terminal "
    "shows and does. --accept-raw-output-risk says that you know."
)


class TextOutput(Output):
    """On a terminal the words appear as they come. Elsewhere an attempt's words are held until the attempt has held
    good, so that what a retry withdraws is never printed."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._live = os.isatty(1)
        self._held: list[str] = []
        self._last = "\n"
        self._spoke = False  # whether something of the attempt under way has been printed

    def begin(self, model: str, prompt: str) -> None:
        pass

    def show(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._held.append(self.clean(text))
                if self._live:
                    self._release()
            case ContentCommitted():
                self._held.append(self.rest())
                self._release()
                self._spoke = False
            case Retrying():
                self._withdraw()
            case ToolCallChanged():
                self._end_line()
            case Notice(level, _, text):
                self._end_line()
                self.tell(f"[{level.upper()}] {text}")
            case ModelSwitched(old, new, why):
                self.tell(f"[INFO] The model changes from {old} to {new} ({why}).")
            case TurnStarted() | ThoughtDelta() | QuestionAsked() | ApiCallFinished() | HistoryCompressed():
                pass
            case TurnFinished():
                pass  # add() turns it into finish() or fail()
            case _:
                assert_never(event)

    def finish(self) -> None:
        self._release()
        self._end_line()

    def fail(self, failure: Failure) -> None:
        self.finish()
        self.tell_failure(failure)

    def _withdraw(self) -> None:
        self._held.clear()
        if self._spoke:
            self._end_line()
            self._print("[The answer above was interrupted; it starts again.]\n")
            self._spoke = False

    def _release(self) -> None:
        self._print("".join(self._held))
        self._held.clear()

    def _end_line(self) -> None:
        if self._last != "\n":
            self._print("\n")

    def _print(self, text: str) -> None:
        if text:
            self.run.streams.out.write(text)
            self._last = text[-1]
            self._spoke = True
