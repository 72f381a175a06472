"""Reads why the service refused: its error body and headers become one ApiError."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

from gemcli.clock import Clock
from gemcli.errors import ApiError, ApiErrorKind
from gemcli.lenient_json import parse

LONGEST_WAIT = 300.0  # seconds; a service that asks for more is not worth waiting for
_RETRY_IN = re.compile(r"retry in (\d+(?:\.\d+)?)(ms|s)\b", re.IGNORECASE)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")
_NO_ALLOWANCE = re.compile(r"\blimit:\s*0(?![\d.]*\d)")
_STATUS_OF = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "OUT_OF_RANGE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "CANCELLED": 499,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_EXHAUSTED = {"QUOTA_EXHAUSTED", "INSUFFICIENT_G1_CREDITS_BALANCE"}

Json = dict[str, Any]


def refusal(status: int, headers: Mapping[str, str], body: bytes, clock: Clock) -> ApiError:
    """The error that an HTTP answer with this status means."""
    error = error_object(body)
    if error is None:
        return _kinded(status, _foreign_message(status, body), {}, _header_delay(headers, clock))
    delay = _info_delay(error)
    if delay is None:
        delay = _header_delay(headers, clock)
    return _kinded(status, _message(error, status), error, delay)


def refusal_event(error: Json) -> ApiError:
    """The error that an event inside a 200 stream means: as if it had been the HTTP status."""
    status = _status(error)
    return _kinded(status, _message(error, status), error, _info_delay(error))


def _status(error: Json) -> int:
    """The HTTP status of an error object: its number, as a text too, else what its name stands for."""
    code = error.get("code")
    if isinstance(code, str) and code.isdigit():
        code = int(code)
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _STATUS_OF.get(str(error.get("status", "")), 500)


def error_object(body: bytes) -> Json | None:
    """Google's `error` object, bare or in a list, if this is one."""
    try:
        return error_of(parse(body))
    except ValueError:
        return None


def error_of(value: object) -> Json | None:
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    if not isinstance(value, dict):
        return None
    error = cast("Json", value).get("error")
    if isinstance(error, str):
        return {"message": error}
    return cast("Json", error) if isinstance(error, dict) else None


def _kinded(status: int, message: str, error: Json, delay: float | None) -> ApiError:
    kind = _kind(status, message, error, delay)
    reason = error.get("status")
    return ApiError(
        kind,
        message,
        reason=reason if isinstance(reason, str) else "",
        status=status,
        retry_after=delay,
        hint=_hint(status, kind),
    )


def _kind(status: int, message: str, error: Json, delay: float | None) -> ApiErrorKind:
    if status not in (429, 499) and status < 500:
        return ApiErrorKind.REFUSED
    too_long = delay is not None and delay > LONGEST_WAIT
    if status == 429:
        return ApiErrorKind.QUOTA if too_long or _is_spent(message, error) else ApiErrorKind.RATE_LIMIT
    if _is_spent(message, error):
        return ApiErrorKind.QUOTA
    return ApiErrorKind.REFUSED if too_long else ApiErrorKind.SERVER


def _is_spent(message: str, error: Json) -> bool:
    """An allowance that waiting a while does not bring back."""
    if _NO_ALLOWANCE.search(message):
        return True
    for detail in _details(error):
        if str(detail.get("reason")) in _EXHAUSTED:
            return True
        quotas = (str(violation.get("quotaId", "")) for violation in _objects(detail.get("violations")))
        if any("PerDay" in quota or "Daily" in quota for quota in quotas):
            return True
    return False


def _details(error: Json) -> list[Json]:
    return _objects(error.get("details"))


def _objects(value: object) -> list[Json]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def _info_delay(error: Json) -> float | None:
    for detail in _details(error):
        if str(detail.get("@type", "")).endswith("RetryInfo"):
            found = _DURATION.fullmatch(str(detail.get("retryDelay", "")))
            if found:
                return float(found[1])
    found = _RETRY_IN.search(_message(error, 0))
    if found:
        return float(found[1]) / (1000 if found[2].lower() == "ms" else 1)
    return None


def _header_delay(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Retry-After: seconds, or a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - clock.today()).total_seconds())
    except (TypeError, ValueError):
        return None


def _message(error: Json, status: int) -> str:
    message = error.get("message")
    return message if isinstance(message, str) and message else f"The service answered with status {status}."


def _foreign_message(status: int, body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return f"The service answered with status {status} and no explanation."
    title = _TITLE.search(text)
    if title or text.startswith("<"):
        said = f': "{" ".join(title[1].split())}"' if title else ""
        return f"Something that is not the model service answered with status {status} and a web page{said}."
    return f"The service answered with status {status}: {text[:300]}"


def _hint(status: int, kind: ApiErrorKind) -> str:
    if kind is ApiErrorKind.QUOTA:
        return "The quota for this model is used up. Wait until it is renewed, or choose another model with -m."
    match status:
        case 401 | 403:
            return "Check the credentials: the service did not accept them for this model."
        case 404:
            return "Check the model's name (-m) and, on Vertex AI, the location."
        case _:
            return ""
