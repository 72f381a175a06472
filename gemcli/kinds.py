"""The plain words that tools, policy, settings and front ends share."""

from enum import StrEnum


class ApprovalMode(StrEnum):
    """How much the agent may do without asking."""

    DEFAULT = "default"
    AUTO_EDIT = "auto_edit"
    YOLO = "yolo"
    PLAN = "plan"


class AuthKind(StrEnum):
    """Values of `security.auth.selectedType`."""

    API_KEY = "gemini-api-key"
    VERTEX = "vertex-ai"
    GOOGLE = "oauth-personal"
    COMPUTE = "compute-default-credentials"


class ToolMode(StrEnum):
    """Whether the model may, must or must not call tools."""

    AUTO = "auto"
    ANY = "any"
    NONE = "none"


class OutputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    STREAM_JSON = "stream-json"


class CallStatus(StrEnum):
    """Where a tool call stands."""

    VALIDATING = "validating"
    SCHEDULED = "scheduled"
    AWAITING_APPROVAL = "awaiting_approval"
    EXECUTING = "executing"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in (CallStatus.SUCCESS, CallStatus.ERROR, CallStatus.CANCELLED)
