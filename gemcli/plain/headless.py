"""One prompt, one answer, one exit code: gemcli in scripts."""

import asyncio
import signal
import sys
from contextlib import aclosing, suppress
from typing import TextIO, assert_never

from gemcli.errors import InputError
from gemcli.events import (
    ApiCallFinished,
    ContentCommitted,
    Event,
    HistoryCompressed,
    ModelSwitched,
    Notice,
    QuestionAsked,
    Retrying,
    TextDelta,
    ThoughtDelta,
    ToolCallChanged,
    TurnEnd,
    TurnFinished,
    TurnStarted,
)
from gemcli.options import Options
from gemcli.redact import Redactor
from gemcli.session.chat import ChatSession

INTERRUPTED, TERMINATED = 130, 143


def read_prompt(options: Options) -> str:
    """Piped input, words and -p, in this order, with a blank line between."""
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    pieces = (piped.rstrip("\n"), " ".join(options.words), options.prompt or "")
    prompt = "\n\n".join(piece for piece in pieces if piece.strip())
    if not prompt:
        raise InputError("There is no prompt.", "Give one with -p, as words, or through a pipe.")
    return prompt


async def run_headless(session: ChatSession, prompt: str, redactor: Redactor) -> int:
    output = TextOutput(sys.stdout, sys.stderr, redactor)
    stopped: list[int] = []
    _on_signals(session, stopped)
    try:
        async with aclosing(session.send(prompt)) as events:
            async for event in events:
                output.show(event)
    finally:
        await session.aclose()
    return stopped[0] if stopped else output.exit_code


def _on_signals(session: ChatSession, stopped: list[int]) -> None:
    """The first signal cancels the turn and decides the exit code."""
    loop = asyncio.get_running_loop()
    cancelling: set[asyncio.Task[None]] = set()

    def stop(code: int) -> None:
        if not stopped:
            stopped.append(code)
            cancelling.add(loop.create_task(session.cancel()))

    for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)):
        with suppress(NotImplementedError):  # Windows: Ctrl-C arrives as KeyboardInterrupt
            loop.add_signal_handler(number, stop, code)


class TextOutput:
    """The model's text on stdout, everything else on stderr.

    Off a terminal an attempt's text is held until the attempt has held good: what a retry withdraws is never printed.
    """

    def __init__(self, out: TextIO, err: TextIO, redactor: Redactor) -> None:
        self._out = out
        self._err = err
        self._mask = redactor
        self._live = out.isatty()
        self._held: list[str] = []
        self._last = "\n"
        self.exit_code = 0

    def show(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._held.append(text)
                if self._live:
                    self._release()
            case ContentCommitted():
                self._release()
            case Retrying(attempt, delay, reason):
                self._held.clear()
                self._end_line()
                reason = reason.rstrip(".")
                self._tell(f"Attempt {attempt} failed: {reason}. Retrying after {round(delay * 1000)}ms...")
            case ToolCallChanged(call):
                self._end_line()
                if call.error is not None:
                    self._tell(f"Error executing tool {call.name}: {call.error.message}")
            case Notice(level, _, text):
                self._tell(f"[{level.upper()}] {text}")
            case ModelSwitched(old, new, why):
                self._tell(f"[INFO] The model changes from {old} to {new} ({why}).")
            case TurnFinished():
                self._finish(event)
            case TurnStarted() | ThoughtDelta() | QuestionAsked() | ApiCallFinished() | HistoryCompressed():
                pass
            case _:
                assert_never(event)

    def _finish(self, event: TurnFinished) -> None:
        self._release()
        self._end_line()
        if event.error is not None:
            self._tell(f"Error: {event.error.message}")
            if event.error.hint:
                self._tell(event.error.hint)
            self.exit_code = event.error.exit_code
        elif event.reason is TurnEnd.CANCELLED:
            self.exit_code = INTERRUPTED

    def _release(self) -> None:
        if self._held:
            self._print("".join(self._held))
            self._held.clear()

    def _end_line(self) -> None:
        if self._last != "\n":
            self._print("\n")

    def _print(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
        self._last = text[-1]

    def _tell(self, line: str) -> None:
        print(self._mask(line), file=self._err, flush=True)
