"""Takes terminal control out of text: what a model says must not steer the reader's terminal."""

import re

LONGEST = 4096  # characters; what goes on longer is no sequence but text
_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]{0,256}[ -/]{0,16}[@-~]"  # CSI: colours, cursor, modes
    rf"|\][^\x07\x1b]{{0,{LONGEST}}}(?:\x07|\x1b\\)"  # OSC: titles, links, the clipboard
    rf"|[PX^_][^\x1b]{{0,{LONGEST}}}\x1b\\"  # DCS, SOS, PM, APC
    r"|[ -/]{0,8}[0-OQ-WYZ\\`-~]"  # everything with two or three characters
    r")"
)
_BEGUN = re.compile(r"\x1b(?:\[[0-?]{0,256}[ -/]{0,16}|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]{0,8})?")
# The controls of ISO 6429 in one character are dropped without what follows: they mostly are misread quotation marks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class EscapeFilter:
    """Works on text that comes in pieces: a sequence that is cut in two is still one."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> str:
        text = self._rest + text
        end = _unfinished(text)
        self._rest = text[end:]
        return without_escapes(text[:end])

    def flush(self) -> str:
        """The text has ended: what looked like the beginning of a sequence was none."""
        rest, self._rest = self._rest, ""
        return without_escapes(rest)


def without_escapes(text: str) -> str:
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


def _unfinished(text: str) -> int:
    """Where a sequence begins that more text could complete; the text's end when there is none."""
    position = text.find("\x1b", max(0, len(text) - LONGEST - 2))
    while position >= 0:
        whole = _SEQUENCE.match(text, position)
        if whole is None and _BEGUN.fullmatch(text, position):
            return position
        position = text.find("\x1b", whole.end() if whole else position + 1)
    return len(text)
