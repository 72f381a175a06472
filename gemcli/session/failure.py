"""Errors as the data that events carry."""

from gemcli.errors import ApiError, GemError
from gemcli.events import Failure


def failure(error: Exception) -> Failure:
    if isinstance(error, ApiError):
        return Failure(error.type, error.message, error.hint, error.status, error.exit_code)
    if isinstance(error, GemError):
        return Failure(error.type, error.message, error.hint, exit_code=error.exit_code)
    return Failure("InternalError", f"{type(error).__name__}: {error}", "This is a fault in gemcli. Please report it.")
