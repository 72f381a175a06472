"""Every error that gemcli raises on purpose.

GemError                  something the user must hear about; carries its exit code
├── UsageError        1   the command line cannot be understood
├── AuthError        41   no credentials, or none that can be used
├── InputError       42   there is nothing to work on, or what is there cannot be used
├── SandboxError     44   a sandbox was asked for and cannot be given
├── ConfigError      52   a setting or an environment variable cannot be used
├── TurnLimitError   53   the session may not ask the model again
├── LoopError        53   the model goes round in circles, and nobody said to go on
├── UntrustedError   55   the folder holds things that nobody has said yes to
├── BudgetError      56   what the session may spend is spent
├── ApiError          1   the model service failed, refused or answered with something unusable
└── ToolError             a tool call failed; the model hears of it, the run goes on

`type` is the name that scripts see in JSON output; the Fatal… names are Gemini CLI's.
"""

from enum import StrEnum
from typing import ClassVar


class GemError(Exception):
    exit_code: ClassVar[int] = 1
    type: str = "Error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GemError):
    type = "UsageError"


class AuthError(GemError):
    exit_code = 41
    type = "FatalAuthenticationError"


class InputError(GemError):
    exit_code = 42
    type = "FatalInputError"


class SandboxError(GemError):
    exit_code = 44
    type = "FatalSandboxError"


class ConfigError(GemError):
    exit_code = 52
    type = "FatalConfigError"


class TurnLimitError(GemError):
    exit_code = 53
    type = "FatalTurnLimitedError"


class LoopError(GemError):
    exit_code = 53
    type = "LoopDetected"


class UntrustedError(GemError):
    exit_code = 55
    type = "FatalUntrustedWorkspaceError"


class BudgetError(GemError):
    exit_code = 56
    type = "FatalBudgetError"


class ApiErrorKind(StrEnum):
    """What went wrong with a model call; the retry policy decides by it."""

    NETWORK = "network"  # no answer began
    SERVER = "server"  # 5xx and 499
    RATE_LIMIT = "rate_limit"  # 429 that passes by itself
    QUOTA = "quota"  # 429 that does not
    REFUSED = "refused"  # any other 4xx: asking again would change nothing
    STREAM = "stream"  # an answer began and did not end as an answer
    BLOCKED = "blocked"  # the service ended the answer for a reason of its own
    BLOCKED_PROMPT = "blocked_prompt"  # the service would not even begin


class ApiError(GemError):
    """A model call that failed.

    `reason` is Google's name for it (RESOURCE_EXHAUSTED, SAFETY, …) or ours (NO_FINISH_REASON, …).
    """

    def __init__(
        self,
        kind: ApiErrorKind,
        message: str,
        *,
        reason: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint)
        self.kind = kind
        self.type = reason or "ApiError"
        self.status = status
        self.retry_after = retry_after

    @property
    def blames_prompt(self) -> bool:
        """The same prompt would be refused again."""
        return self.kind is ApiErrorKind.BLOCKED_PROMPT or self.status in (400, 413)


class ToolError(GemError):
    """`type` is the tool error type that scripts and stats see."""

    def __init__(self, message: str, type: str = "execution_failed") -> None:
        super().__init__(message)
        self.type = type
