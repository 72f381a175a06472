"""The conversation as it is sent: valid after every step, serialised once."""

from collections.abc import Sequence
from dataclasses import dataclass

from gemcli.ids import NewId
from gemcli.wire import Content


@dataclass(frozen=True, slots=True)
class Entry:
    message_id: str
    content: Content


class History:
    """Grows at its end. A message the service refused can be taken back; compression may rewrite what is old.

    Law: the first content is the user's, roles alternate, no content is empty, and a content with calls is
    followed by one with exactly their responses, in order. Checked against the last content only, so that the
    cost of a turn does not grow with the session.
    """

    def __init__(self, new_id: NewId) -> None:
        self.new_id = new_id
        self._entries: list[Entry] = []
        self._data: list[bytes] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def last(self) -> Content | None:
        return self._entries[-1].content if self._entries else None

    @property
    def contents(self) -> list[Content]:
        return [entry.content for entry in self._entries]

    def data(self) -> tuple[bytes, ...]:
        """The contents as JSON, for a request."""
        return tuple(self._data)

    def append(self, content: Content) -> Entry:
        fault = misfit(self.last, content)
        if fault:
            raise ValueError(f"this content does not fit into the history: {fault}")
        data = content.to_bytes()  # first what can fail
        entry = Entry(self.new_id("message"), content)
        self._entries.append(entry)
        self._data.append(data)
        return entry

    def since(self, index: int) -> list[tuple[Entry, bytes]]:
        """The entries from `index` on, with their JSON."""
        return list(zip(self._entries[index:], self._data[index:], strict=True))

    def rewrite(self, index: int, content: Content) -> None:
        """Say an old content more briefly; its role, calls and responses stay."""
        self._entries[index] = Entry(self._entries[index].message_id, content)
        self._data[index] = content.to_bytes()

    def replace_before(self, index: int, contents: Sequence[Content]) -> list[Entry]:
        """Put these in the place of everything before `index`; what comes after must fit."""
        last: Content | None = None
        for content in (*contents, self._entries[index].content):
            fault = misfit(last, content)
            if fault:
                raise ValueError(f"this beginning does not fit: {fault}")
            last = content
        fresh = [Entry(self.new_id("message"), content) for content in contents]
        self._entries[:index] = fresh
        self._data[:index] = [content.to_bytes() for content in contents]
        return fresh

    def withdraw(self) -> Entry:
        """Take back the last content."""
        self._data.pop()
        return self._entries.pop()


def misfit(last: Content | None, content: Content) -> str:
    """Why `content` may not follow `last`; empty when it may."""
    expected = "model" if last is not None and last.role == "user" else "user"
    if content.role != expected:
        return f"role {content.role!r} where {expected!r} must come"
    if not content.parts:
        return "no parts"
    asked = [(call.id, call.name) for call in last.calls] if last is not None else []
    answered = [(response.id, response.name) for response in content.responses]
    if asked != answered:
        return f"responses {answered} for calls {asked}"
    return ""
