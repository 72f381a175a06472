"""One run of the program: what it finds, whether it may begin, which front end does it."""

import asyncio
import traceback
from collections.abc import MutableMapping
from pathlib import Path

from gemcli import __version__
from gemcli.api.prices import price_list
from gemcli.api.replay import read_recording
from gemcli.build import build
from gemcli.clock import SystemClock
from gemcli.config.catalogue import (
    MODEL_NAME,
    OUTPUT_FORMAT,
    PRICES,
)
from gemcli.config.environment import is_true
from gemcli.config.paths import Paths, find_paths
from gemcli.config.private import new_private_file, private_folder
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings, look_around
from gemcli.demo import NOTE, RECORDING, demo_workspace
from gemcli.errors import InputError
from gemcli.events import Failure
from gemcli.gate import refuse
from gemcli.ids import new_uuid
from gemcli.kinds import OutputFormat
from gemcli.options import Options
from gemcli.plain.headless import open_output, run_headless
from gemcli.plain.output import STOPPED, Output, Run
from gemcli.plain.prompt_input import read_prompt
from gemcli.plain.stop import Stopped, broken, stoppable
from gemcli.plain.streams import Streams, fill_closed, is_open
from gemcli.plain.text_output import RAW_WARNING, TextOutput
from gemcli.redact import Redactor
from gemcli.session.answer_schema import read_schema
from gemcli.session.chat import Prompt
from gemcli.session.cost import Cost
from gemcli.session.failure import failure
from gemcli.trace import Trace

LAST_WORDS = 0.1  # seconds for what is still to be printed after a signal


def run(options: Options, env: MutableMapping[str, str]) -> int:
    """Do what was asked; gives the exit code."""
    can_speak = is_open(1)
    fill_closed()
    redactor = Redactor()
    this = Run(Streams(), SystemClock(), redactor, new_uuid(), Trace(redactor))
    output = open_output(options.output_format or OutputFormat.TEXT, this)
    try:
        with stoppable():
            if not can_speak:
                raise InputError("Standard output is closed.", "Send it to a file, a pipe or /dev/null.")
            if options.demo:
                code = _demo(options, output)
            else:
                around = _look_around(options, env, this)
                output = open_output(OutputFormat(around.settings.get(OUTPUT_FORMAT)), this)
                code = _answer(options, around, output)
            return _close(this.streams, code)
    except Stopped as stopped:
        code = _fail(output, stopped.why)
    except Exception as error:  # a fault of ours is said in one line, too
        this.trace("".join(traceback.format_exception(error)))
        code = _fail(output, failure(error))
    return _close(this.streams, code)


def _fail(output: Output, why: Failure) -> int:
    output.fail(why)
    return why.exit_code


def _close(streams: Streams, code: int) -> int:
    """Everything is printed before we go; after a signal, what can be printed at once."""
    streams.close(LAST_WORDS if code in STOPPED else None)
    why = broken(streams.out)
    if why is None or code:
        return code
    Streams().tell(f"Error: {why.message}")
    return why.exit_code


def _look_around(options: Options, env: MutableMapping[str, str], this: Run) -> Surroundings:
    try:
        project = Path.cwd()
    except OSError:
        raise InputError("The working directory no longer exists.", "Change to a folder that does.") from None
    around = look_around(options, env, find_paths(env, project), this.clock, this.trace)
    this.is_raw = options.raw_output or options.accept_raw_output_risk
    this.cost = Cost(price_list(around.settings.get(PRICES)))
    return around


def _answer(options: Options, around: Surroundings, output: Output) -> int:
    _debug(options, around, output)
    for warning in around.warnings:
        output.tell(f"[WARNING] {warning}")
    if options.raw_output and not options.accept_raw_output_risk and isinstance(output, TextOutput):
        output.tell(RAW_WARNING)
    refuse(options, around)
    return _run_headless(options, around, read_prompt(options, output.tell), output)


def _demo(options: Options, output: Output) -> int:
    """The bundled recording, without anybody's settings or environment, in a project that is gone afterwards."""
    output.tell(f"[INFO] {NOTE}")
    with demo_workspace() as folder:
        this = output.run
        paths = Paths(home=folder.parent, project=folder)
        around = Surroundings({}, paths, Settings(), this.clock, this.redactor, this.trace)
        prompt = read_recording(RECORDING).prompt
        output.tell(f"> {prompt}")
        return _run_headless(options, around, Prompt(prompt, prompt), output)


def _run_headless(options: Options, around: Surroundings, prompt: Prompt, output: Output) -> int:
    schema = read_schema(around.paths.project / options.output_schema) if options.output_schema else None

    async def headless() -> int:
        session = build(options, around, output.run.session_id, schema.instruction if schema else "")
        return await run_headless(session, around.settings.get(MODEL_NAME), prompt, output, schema)

    # Not asyncio.run: that waits for threads, and one may be waiting for a name server.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(headless())
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


def _debug(options: Options, around: Surroundings, output: Output) -> None:
    if not (options.debug or is_true(around.env.get("DEBUG")) or is_true(around.env.get("DEBUG_MODE"))):
        return
    stamp = around.clock.today().strftime("%Y-%m-%dT%H-%M-%S")
    file = around.paths.logs / f"{stamp}-{output.run.session_id[:8]}.log"
    try:
        private_folder(file.parent)
        new_private_file(file)
        around.trace.turn_on(output.tell, file)
        around.trace(f"log file: {file}")
    except OSError as error:
        around.trace.turn_on(output.tell, None)
        around.trace(f"no log file: {file} cannot be made ({error.strerror})")
    around.trace(f"gemcli {__version__} in {around.paths.project}")
    for setting, told in around.settings.set_ones():
        around.trace(f"setting {setting.key} = {told.shown()} (from {', '.join(told.sources)})")
