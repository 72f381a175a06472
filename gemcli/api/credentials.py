"""Who we are to the service, as request headers; and which kind of sign-in this run uses."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from gemcli.api.http import is_header_value
from gemcli.clock import Clock
from gemcli.config.environment import is_true
from gemcli.errors import AuthError
from gemcli.kinds import AuthKind
from gemcli.redact import Redactor

NOT_AUTHENTICATED = "Not authenticated."
HOW_TO = """Set one of these and try again:
  GEMINI_API_KEY                                a key of the Gemini API
  GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or with GOOGLE_API_KEY
                                                Vertex AI
  GOOGLE_GENAI_USE_GCA=true with GOOGLE_CLOUD_ACCESS_TOKEN
                                                Code Assist
or name a kind in ~/.gemini/settings.json under security.auth.selectedType."""
_EXPIRES_SOON = 60.0  # seconds; a token this close to its end may not survive the request


class Credentials(Protocol):
    async def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True, repr=False)
class ApiKey:
    key: str
    bearer: bool = False

    async def headers(self) -> Mapping[str, str]:
        return {"authorization": f"Bearer {self.key}"} if self.bearer else {"x-goog-api-key": self.key}


@dataclass(frozen=True, slots=True, repr=False)
class AccessToken:
    token: str

    async def headers(self) -> Mapping[str, str]:
        return {"authorization": f"Bearer {self.token}"}


def missing(what: str) -> AuthError:
    return AuthError(NOT_AUTHENTICATED, what)


def auth_kind(selected: str | None, env: Mapping[str, str], adc_file: Path | None) -> AuthKind:
    """The kind that settings select, else the first that the environment offers."""
    if selected:
        return named_kind(selected, "security.auth.selectedType")
    if is_true(env.get("GOOGLE_GENAI_USE_GCA")):
        return AuthKind.GOOGLE
    if is_true(env.get("GOOGLE_GENAI_USE_VERTEXAI")):
        return AuthKind.VERTEX
    if env.get("GEMINI_API_KEY", "").strip():
        return AuthKind.API_KEY
    if env.get("GOOGLE_API_KEY", "").strip() or adc_file is not None:
        return AuthKind.VERTEX
    if is_true(env.get("GEMINI_CLI_USE_COMPUTE_ADC")):
        return AuthKind.COMPUTE
    raise missing(HOW_TO)


def named_kind(name: str, setting: str) -> AuthKind:
    try:
        return AuthKind(_RENAMED.get(name, name))
    except ValueError:
        raise missing(f"{setting} is {name!r}; it can be one of {', '.join(AuthKind)}.") from None


_RENAMED = {"cloud-shell": AuthKind.COMPUTE.value}


def api_key(env: Mapping[str, str], name: str, redactor: Redactor) -> ApiKey | None:
    """The key in this variable, if there is one."""
    key = env.get(name, "").strip()
    if not key:
        return None
    redactor.add(key)
    if not key.isascii() or not is_header_value(key):
        raise missing(f"{name} holds characters that no key has. Copy the key again, without quotes or line breaks.")
    mechanism = env.get("GEMINI_API_KEY_AUTH_MECHANISM", "").strip()
    if mechanism not in ("", "x-goog-api-key", "bearer"):
        raise missing("GEMINI_API_KEY_AUTH_MECHANISM can be x-goog-api-key or bearer.")
    return ApiKey(key, bearer=mechanism == "bearer" and name == "GEMINI_API_KEY")


def google_token(env: Mapping[str, str], stored: Path, clock: Clock, redactor: Redactor) -> AccessToken:
    """A signed-in user's token: from the environment, else the one that was stored and still holds."""
    token = env.get("GOOGLE_CLOUD_ACCESS_TOKEN", "").strip()
    if not token:
        token = _stored_token(stored, clock)
    redactor.add(token)
    if not token.isascii() or not is_header_value(token):
        raise missing("The access token holds characters that no token has.")
    return AccessToken(token)


def _stored_token(path: Path, clock: Clock) -> str:
    try:
        saved: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise missing(f"Code Assist needs GOOGLE_CLOUD_ACCESS_TOKEN, or a token in {path}.") from None
    except (OSError, ValueError) as error:
        raise missing(f"{path} cannot be read: {error}.") from error
    fields = cast("dict[str, object]", saved) if isinstance(saved, dict) else {}
    token, expiry = fields.get("access_token"), fields.get("expiry_date")
    if not isinstance(token, str) or not token:
        raise missing(f"{path} holds no access_token.")
    if isinstance(expiry, int | float) and expiry / 1000 < clock.today().timestamp() + _EXPIRES_SOON:
        raise missing(f"The token in {path} has expired. Sign in again, or set GOOGLE_CLOUD_ACCESS_TOKEN.")
    return token
