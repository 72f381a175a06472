"""What a session tells its front ends, and what they answer: a closed set of plain data.

Everything here can be written to a session file; nothing that cannot is an event.
Order within a turn: TurnStarted first and once, TurnFinished last and once, also after cancel or crash.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gemcli.kinds import CallStatus
from gemcli.wire import Content, Usage

# --- what a tool shows a person -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextDisplay:
    text: str
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class DiffDisplay:
    path: str
    diff: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class TerminalDisplay:
    text: str
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class TodoDisplay:
    items: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SubagentDisplay:
    name: str
    text: str


Display = TextDisplay | DiffDisplay | TerminalDisplay | TodoDisplay | SubagentDisplay


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as data: what scripts and screens show of it."""

    type: str
    message: str
    hint: str = ""
    status: int | None = None
    exit_code: int = 1
    is_api: bool = False  # the model service failed
    raw: str = ""  # an answer that was not what was asked for


@dataclass(frozen=True, slots=True)
class ToolCallView:
    """A tool call as it stands now; each one replaces the one before it with the same id."""

    call_id: str
    name: str
    status: CallStatus
    args: Mapping[str, object]
    title: str = ""
    parent_call_id: str | None = None
    kind: str = ""
    origin: str = ""
    live: str = ""
    display: Display | None = None
    decision: str = ""
    error: Failure | None = None
    duration: float = 0.0


# --- questions and answers ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edit:
    path: str
    old: str
    new: str
    diff: str


@dataclass(frozen=True, slots=True)
class Exec:
    command: str
    explanation: Sequence[str]
    cwd: str


@dataclass(frozen=True, slots=True)
class Info:
    prompt: str
    urls: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Mcp:
    server: str
    tool: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Choice:
    """`default` is what is chosen where there is nobody to ask; without one the question withdraws itself."""

    title: str
    text: str
    options: Sequence[str]
    default: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    questions: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class PlanApproval:
    path: str
    text: str


Question = Edit | Exec | Info | Mcp | Choice | Ask | PlanApproval


class Scope(StrEnum):
    ONCE = "once"
    SESSION = "session"
    SAVED = "saved"


class Target(StrEnum):
    CALL = "call"
    TOOL = "tool"
    SERVER = "server"
    FILE = "file"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Proceed:
    scope: Scope = Scope.ONCE
    target: Target = Target.CALL


@dataclass(frozen=True, slots=True)
class Modified:
    text: str
    refused_hunks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    option: str
    text: str = ""


Answer = Proceed | Modified | Refused | Chosen


# --- events ---------------------------------------------------------------------------------


class NoticeLevel(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class TurnEnd(StrEnum):
    DONE = "done"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class TurnStarted:
    prompt_id: str
    model: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallChanged:
    call: ToolCallView


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A known id replaces that question; `what=None` withdraws it."""

    question_id: str
    what: Question | None


@dataclass(frozen=True, slots=True)
class Retrying:
    """Text since the last ContentCommitted or TurnStarted is withdrawn; the call starts again after `delay`."""

    attempt: int
    delay: float
    reason: str


@dataclass(frozen=True, slots=True)
class ModelSwitched:
    old: str
    new: str
    why: str


@dataclass(frozen=True, slots=True)
class ApiCallFinished:
    """One request to the service is over, failed attempts and side calls included."""

    model: str
    role: str
    latency: float
    usage: Usage | None = None
    error: Failure | None = None
    context_left: int | None = None


@dataclass(frozen=True, slots=True)
class ContentCommitted:
    """History gained this content; what is sent from now on holds exactly these bytes."""

    message_id: str
    content: Content


@dataclass(frozen=True, slots=True)
class HistoryCompressed:
    before: int
    after: int
    status: str


@dataclass(frozen=True, slots=True)
class Notice:
    level: NoticeLevel
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """`withdrawn` names a user message that the service refused and history no longer holds."""

    reason: TurnEnd
    error: Failure | None = None
    withdrawn: str | None = field(default=None)


Event = (
    TurnStarted
    | ThoughtDelta
    | TextDelta
    | ToolCallChanged
    | QuestionAsked
    | Retrying
    | ModelSwitched
    | ApiCallFinished
    | ContentCommitted
    | HistoryCompressed
    | Notice
    | TurnFinished
)
