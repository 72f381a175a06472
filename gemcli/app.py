"""One run of the program: what it finds, whether it may begin, which front end does it."""

import asyncio
import signal
from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from gemcli import __version__
from gemcli.api.prices import price_list
from gemcli.build import build
from gemcli.clock import SystemClock
from gemcli.config.catalogue import (
    DISABLE_YOLO,
    MODEL_NAME,
    OUTPUT_FORMAT,
    PRICES,
    SANDBOX_WANTED,
    SECURE_MODE,
)
from gemcli.config.environment import is_true
from gemcli.config.paths import find_paths
from gemcli.config.private import new_private_file, private_folder
from gemcli.config.surroundings import Surroundings, look_around
from gemcli.errors import ConfigError, InputError, SandboxError, UntrustedError
from gemcli.events import Failure
from gemcli.ids import new_uuid
from gemcli.kinds import ApprovalMode, OutputFormat
from gemcli.options import Options
from gemcli.plain.headless import open_output, run_headless
from gemcli.plain.output import Output, Run
from gemcli.plain.prompt_input import read_prompt
from gemcli.plain.stop import CANCELLED, ENDED
from gemcli.plain.streams import Streams, fill_closed, is_open
from gemcli.plain.text_output import RAW_WARNING, TextOutput
from gemcli.redact import Redactor
from gemcli.session.cost import Cost
from gemcli.session.failure import failure

LAST_WORDS = 0.15  # seconds for what is still to be printed after a signal


class Terminated(BaseException):
    """SIGTERM, where no event loop runs that could handle it."""


def run(options: Options, env: MutableMapping[str, str]) -> int:
    """Do what was asked; gives the exit code."""
    can_speak = is_open(1)
    fill_closed()
    this = Run(Streams(), SystemClock(), Redactor(), new_uuid())
    output = open_output(options.output_format or OutputFormat.TEXT, this)
    with _terminable():
        try:
            if not can_speak:
                raise InputError("Standard output is closed.", "Send it to a file, a pipe or /dev/null.")
            around = _look_around(options, env, this)
            output = open_output(OutputFormat(around.settings.get(OUTPUT_FORMAT)), this)
            code = _answer(options, around, output)
        except (KeyboardInterrupt, Terminated) as error:
            code = _fail(output, _stopped(error))
        except Exception as error:  # a fault of ours is said in one line, too
            code = _fail(output, failure(error))
        return _close(this.streams, code)


def _fail(output: Output, why: Failure) -> int:
    output.fail(why)
    return why.exit_code


def _stopped(error: BaseException) -> Failure:
    return CANCELLED if isinstance(error, KeyboardInterrupt) else ENDED


def _close(streams: Streams, code: int) -> int:
    """Everything is printed before we go; after a signal, what can be printed at once."""
    was_stopped = code in (CANCELLED.exit_code, ENDED.exit_code)
    try:
        streams.close(LAST_WORDS if was_stopped else None)
    except (KeyboardInterrupt, Terminated) as error:
        return _stopped(error).exit_code
    return code


@contextmanager
def _terminable() -> Generator[None]:
    """SIGTERM is an exception, as Ctrl-C is, wherever no event loop takes it."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # all is said; what is left is to go


def _look_around(options: Options, env: MutableMapping[str, str], this: Run) -> Surroundings:
    try:
        project = Path.cwd()
    except OSError:
        raise InputError("The working directory no longer exists.", "Change to a folder that does.") from None
    around = look_around(options, env, find_paths(env, project), this.clock, this.redactor)
    this.is_raw = options.raw_output or options.accept_raw_output_risk
    this.cost = Cost(price_list(around.settings.get(PRICES)))
    return around


def _answer(options: Options, around: Surroundings, output: Output) -> int:
    _debug(options, around, output)
    for warning in around.warnings:
        output.tell(f"[WARNING] {warning}")
    if options.raw_output and not options.accept_raw_output_risk and isinstance(output, TextOutput):
        output.tell(RAW_WARNING)
    _refuse(options, around)
    prompt = read_prompt(options, output.tell)

    async def headless() -> int:
        session = build(options, around, output.run.session_id)
        return await run_headless(session, around.settings.get(MODEL_NAME), prompt, output)

    return asyncio.run(headless())


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


def _refuse(options: Options, around: Surroundings) -> None:
    """What must not begin."""
    settings = around.settings
    sandbox = settings.told(SANDBOX_WANTED)
    if sandbox.value and not around.env.get("SANDBOX"):
        raise SandboxError(
            f"A sandbox was asked for (by {', '.join(sandbox.sources)}), and this version of gemcli has none.",
            "Nothing was run. Without a sandbox: --no-sandbox.",
        )
    if around.untrusted:
        raise UntrustedError(
            f"This folder is not trusted, and gemcli would read: {', '.join(around.untrusted)}.",
            f"Look at them. To trust the folder for this run, say --skip-trust; for good, add "
            f'"{around.paths.project}": "TRUST_FOLDER" to {around.paths.trusted_folders}.',
        )
    if options.approval_mode is ApprovalMode.YOLO:
        for setting in (DISABLE_YOLO, SECURE_MODE):
            if settings.get(setting):
                by = ", ".join(settings.told(setting).sources)
                raise ConfigError(f"The yolo mode is switched off by {setting.key} ({by}).")
