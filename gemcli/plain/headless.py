"""One prompt, one answer, one exit code: gemcli in scripts."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from gemcli.events import Choice, Chosen, Event, QuestionAsked, TurnEnd, TurnFinished
from gemcli.kinds import OutputFormat
from gemcli.plain.json_output import JsonOutput
from gemcli.plain.output import Output, Run
from gemcli.plain.stop import Stop
from gemcli.plain.stream_json_output import StreamJsonOutput
from gemcli.plain.structured import Structured
from gemcli.plain.text_output import TextOutput
from gemcli.session.answer_schema import CORRECTION, AnswerSchema
from gemcli.session.chat import ChatSession, Prompt
from gemcli.session.error_report import write_report
from gemcli.wire import Part


def open_output(format: OutputFormat, run: Run) -> Output:
    match format:
        case OutputFormat.TEXT:
            return TextOutput(run)
        case OutputFormat.JSON:
            return JsonOutput(run)
        case OutputFormat.STREAM_JSON:
            return StreamJsonOutput(run)


async def run_headless(
    session: ChatSession, model: str, prompt: Prompt, output: Output, schema: AnswerSchema | None = None
) -> int:
    """`model` is the name that was asked for. Gives the exit code, when everything has been printed."""
    streams = output.run.streams
    stop = Stop(streams.out)
    cancelling = asyncio.create_task(_cancel_on(stop, session))
    output.begin(model, prompt.text)
    try:
        if schema is None:
            code = await _answer(session, prompt, output, stop, output.add)
        else:
            code = await _structured_answer(session, prompt, output, stop, Structured(schema, output))
        if stop.happened.is_set():
            return code
        # A slow reader gets all the time it needs, and a signal still ends the wait.
        waiting = (asyncio.ensure_future(streams.drained()), asyncio.create_task(stop.happened.wait()))
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if stop.why is not None:
            output.tell(f"Error: {stop.why.message}")
            return stop.why.exit_code
        return code
    finally:
        cancelling.cancel()
        await session.aclose()


async def _structured_answer(
    session: ChatSession, prompt: Prompt, output: Output, stop: Stop, answer: Structured
) -> int:
    """One correction is asked for; then the answer is what it is."""
    code = await _answer(session, prompt, output, stop, answer.add)
    problem = await _judged(answer, stop) if code == 0 else ""
    if problem:
        # As parts: what the model said is quoted in it, and must not be read for files to send along.
        correction = [Part(text=CORRECTION.format(problem=problem))]
        code = await _answer(session, correction, output, stop, answer.add)
        problem = await _judged(answer, stop) if code == 0 else ""
    if code or stop.happened.is_set():
        end = answer.end if code and answer.end is not None else TurnFinished(TurnEnd.CANCELLED, stop.why)
        output.add(end)
        return end.error.exit_code if end.error is not None else code
    if problem:
        return answer.give_up(problem).exit_code
    answer.release()
    return 0


async def _judged(answer: Structured, stop: Stop) -> str:
    """What is wrong with the answer; a signal ends the judging."""
    judging = asyncio.ensure_future(answer.problem())
    stopping = asyncio.ensure_future(stop.happened.wait())
    await asyncio.wait((judging, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if judging.done():
        return judging.result()
    judging.cancel()
    await asyncio.wait((judging,))
    return ""


async def _answer(
    session: ChatSession,
    prompt: Prompt | list[Part],
    output: Output,
    stop: Stop,
    show: Callable[[Event], None],
) -> int:
    code = 1  # until the turn has said how it ended
    async with aclosing(session.send(prompt)) as events:
        async for event in events:
            if isinstance(event, TurnFinished):
                event = replace(event, error=stop.why) if event.reason is TurnEnd.CANCELLED else event
                code = event.error.exit_code if event.error is not None else 0
                _report(session, prompt, event, output)
            elif isinstance(event, QuestionAsked) and isinstance(event.what, Choice) and event.what.default:
                session.answer(event.question_id, Chosen(event.what.default))
            show(event)
    return code


async def _cancel_on(stop: Stop, session: ChatSession) -> None:
    await stop.happened.wait()
    await session.cancel()


def _report(session: ChatSession, prompt: Prompt | list[Part], event: TurnFinished, output: Output) -> None:
    if event.error is not None and event.error.is_api:
        said = prompt.text if isinstance(prompt, Prompt) else ""
        path = write_report(event.error, said, session, output.run.redactor)
        if path is not None:
            output.tell(f"Full report available at: {path}")
