"""How many tokens something will be, before the service has counted it."""

from gemcli.session.history import History
from gemcli.wire import Content, Usage

_PER_ASCII, _PER_OTHER = 0.27, 1.2
_PER_MEDIA = 1300


def estimate(content: Content, data: bytes) -> int:
    """For one content. Pictures count by the piece, not by their letters."""
    media = [part.inline_data.data or "" for part in content.parts if part.inline_data is not None]
    text = data.decode()
    ascii_count = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    letters = ascii_count - sum(map(len, media))
    return round(letters * _PER_ASCII + (len(text) - ascii_count) * _PER_OTHER) + _PER_MEDIA * len(media)


class Meter:
    """The size of the next request: what the service counted for the last one, and an estimate of what came since."""

    def __init__(self) -> None:
        self._counted = 0
        self._entries = 0

    def saw(self, usage: Usage | None, entries: int) -> None:
        """The service has counted a request with so many contents."""
        if usage is not None and usage.prompt_token_count:
            self._counted, self._entries = usage.prompt_token_count, entries

    def forget(self) -> None:
        """The history was rewritten: the last count says nothing any more."""
        self._counted = self._entries = 0

    def next_request(self, history: History, fixed: int) -> int:
        """`fixed` is the size of what goes along with the contents: the system instruction and the tools."""
        since = sum(estimate(entry.content, data) for entry, data in history.since(self._entries))
        return self._counted + since + (0 if self._counted else fixed)
