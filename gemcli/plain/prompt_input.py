"""The prompt of a headless run: piped input, words and -p, in this order."""

import os
import select
import stat
from collections.abc import Callable

from gemcli.errors import InputError
from gemcli.options import Options
from gemcli.session.chat import Prompt

MAX_INPUT = 8 * 1024 * 1024
PATIENCE = 0.5  # seconds for the first byte when there is a prompt without it
_PIECE = 1 << 16


def read_prompt(options: Options, tell: Callable[[str], None]) -> Prompt:
    piped = _piped(has_prompt=options.prompt is not None, tell=tell)
    typed = _joined(" ".join(options.words), options.prompt or "")
    prompt = Prompt(_joined(piped, typed), typed)
    if not prompt.text:
        raise InputError("There is no prompt.", "Give one with -p, as words, or through a pipe.")
    return prompt


def _joined(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece.strip())


def _piped(*, has_prompt: bool, tell: Callable[[str], None]) -> str:
    """What standard input holds; nothing when it is a terminal."""
    try:
        if os.isatty(0) or stat.S_ISDIR(os.fstat(0).st_mode):
            return ""
        if has_prompt and not _has_byte(PATIENCE):
            tell("[INFO] Standard input is open and silent; it is not read. Close it with < /dev/null.")
            return ""
        data = _read(MAX_INPUT + 1)
    except OSError as error:
        tell(f"[WARNING] Standard input cannot be read: {error.strerror}.")
        return ""
    if len(data) > MAX_INPUT:
        tell(f"[WARNING] Standard input is cut after {MAX_INPUT // (1024 * 1024)} MB.")
    text = data[:MAX_INPUT].decode("utf-8", "replace")
    return text.rstrip("\r\n")


def _has_byte(seconds: float | None) -> bool:
    """Whether something (a byte, or the end) can be read within this time."""
    if os.name == "nt":
        return True  # pipes cannot be waited for there
    ready, _, _ = select.select([0], [], [], seconds)
    return bool(ready)


def _read(most: int) -> bytes:
    data = bytearray()
    while len(data) < most:
        try:
            piece = os.read(0, _PIECE)
        except BlockingIOError:  # somebody made the descriptor non-blocking
            _has_byte(None)
            continue
        if not piece:
            break
        data += piece
    return bytes(data)
