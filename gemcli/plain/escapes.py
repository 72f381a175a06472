"""Takes terminal control out of text: what a model says must not steer the reader's terminal."""

import re

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, modes
    r"|[\x1b\x9d](?:\]|(?<=\x9d))[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, the clipboard
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI in one byte
    r"|\x1b[ -/]*[0-Z\\`-~]"  # everything with two or three characters
)
_UNFINISHED = re.compile(
    r"(?:\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)?|[\x9b\x9d][^\x07\x1b]*)\Z"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
LONGEST = 4096  # characters; what goes on longer is no sequence but text


class EscapeFilter:
    """Works on text that comes in pieces: a sequence that is cut in two is still one."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> str:
        text = self._rest + text
        cut = _UNFINISHED.search(text)
        self._rest = text[cut.start() :] if cut and len(text) - cut.start() <= LONGEST else ""
        return without_escapes(text[: len(text) - len(self._rest)])


def without_escapes(text: str) -> str:
    return _CONTROL.sub("", _SEQUENCE.sub("", text))
