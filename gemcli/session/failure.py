"""Errors as the data that events carry."""

from gemcli.errors import ApiError, ApiErrorKind, GemError
from gemcli.events import Failure


def failure(error: Exception) -> Failure:
    if isinstance(error, ApiError):
        is_limit = error.kind in (ApiErrorKind.RATE_LIMIT, ApiErrorKind.QUOTA)
        message = f"Rate limit exceeded: {error.message}" if is_limit else error.message
        return Failure(error.type, message, error.hint, error.status, error.exit_code, is_api=True)
    if isinstance(error, GemError):
        return Failure(error.type, error.message, error.hint, exit_code=error.exit_code)
    return Failure("InternalError", f"{type(error).__name__}: {error}", "This is a fault in gemcli. Please report it.")
