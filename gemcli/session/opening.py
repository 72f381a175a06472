"""What a conversation opens with: where and when it takes place."""

import sys
from datetime import datetime

from gemcli.clock import Clock
from gemcli.tools.workspace import MOST_ENTRIES, Workspace, printable, tree
from gemcli.wire import Content, text_content

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
ACKNOWLEDGED = "Got it. Thanks for the context!"


def opening(workspace: Workspace, clock: Clock, *, with_tree: bool = True) -> list[Content]:
    """One message about the surroundings, and the model's acknowledgement."""
    return [text_content("user", surroundings_text(workspace, clock, with_tree)), text_content("model", ACKNOWLEDGED)]


def surroundings_text(workspace: Workspace, clock: Clock, with_tree: bool) -> str:
    roots = "\n".join(f"- {printable(str(root))}" for root in workspace.roots)
    text = (
        "This message sets the scene; the request comes after it.\n"
        f"Today is {_long_date(clock.today().astimezone())}. The operating system is {sys.platform}.\n"
        f"The workspace folders are:\n{roots}"
    )
    if not with_tree:
        return text
    share = max(1, MOST_ENTRIES // len(workspace.roots))
    trees = "\n".join(tree(workspace, root, clock, share) for root in workspace.roots)
    return f"{text}\nWhat they hold, without what is ignored (… marks what is left out):\n{trees}"


def _long_date(day: datetime) -> str:
    """In English, whatever the locale."""
    return f"{_WEEKDAYS[day.weekday()]}, {day.day} {_MONTHS[day.month - 1]} {day.year}"
