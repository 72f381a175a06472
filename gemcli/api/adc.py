"""Application Default Credentials: a credentials file, or a Google machine's own account when asked for.

google-auth is slow to load and only needed here, so it is imported inside the functions.
"""

import asyncio
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from gemcli.api.credentials import missing
from gemcli.api.http import is_header_value, tls_context
from gemcli.errors import ApiError, ApiErrorKind
from gemcli.redact import Redactor

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


def adc_file(env: Mapping[str, str], home: Path) -> Path | None:
    """The file that GOOGLE_APPLICATION_CREDENTIALS names, else the one gcloud keeps."""
    named = env.get("GOOGLE_APPLICATION_CREDENTIALS", "").strip()
    if named:
        return Path(named)
    if env.get("APPDATA"):
        kept = Path(env["APPDATA"]) / "gcloud"
    else:
        kept = Path(env.get("CLOUDSDK_CONFIG") or home / ".config" / "gcloud")
    path = kept / "application_default_credentials.json"
    return path if path.is_file() else None


class GoogleAuth:
    """Any credentials of google-auth, refreshed in a thread when they have run out."""

    def __init__(self, credentials: Any, env: Mapping[str, str], redactor: Redactor) -> None:
        self._credentials = credentials
        self._env = env
        self._redactor = redactor

    async def headers(self) -> Mapping[str, str]:
        if not self._credentials.valid:
            await asyncio.to_thread(self._refresh)
        token: object = self._credentials.token
        if not isinstance(token, str) or not token or not is_header_value(token):
            raise missing("The application default credentials gave a token that cannot be used.")
        headers = {"authorization": f"Bearer {token}"}
        project: object = getattr(self._credentials, "quota_project_id", None)
        if isinstance(project, str) and project:
            headers["x-goog-user-project"] = project
        return headers

    def _refresh(self) -> None:
        from google.auth.exceptions import GoogleAuthError, TransportError
        from google.auth.transport.requests import Request

        try:
            self._credentials.refresh(Request(_session(self._env)))
        except TransportError as error:
            why = self._redactor(str(error))
            message = f"The service that gives tokens cannot be reached ({why})."
            raise ApiError(ApiErrorKind.NETWORK, message, reason="NETWORK_ERROR") from None
        except (GoogleAuthError, ValueError) as error:
            raise missing(
                f"The application default credentials were not accepted: {self._redactor(str(error))}"
            ) from None
        self._redactor.add(self._credentials.token)


def _session(env: Mapping[str, str]) -> Any:
    """google-auth speaks through requests; it gets the same certificates as everything else."""
    import requests
    from requests.adapters import HTTPAdapter

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **kwargs: Any) -> Any:
            return super().init_poolmanager(*args, **kwargs, ssl_context=tls_context("https://", env))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    session = requests.Session()
    session.mount("https://", Adapter())
    return session


def from_file(path: Path, env: Mapping[str, str], redactor: Redactor) -> GoogleAuth:
    from google.auth.exceptions import GoogleAuthError

    try:
        info: Any = json.loads(path.read_bytes())
        return GoogleAuth(_load(info), env, redactor)
    except (GoogleAuthError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise missing(f"{path} holds no usable credentials: {redactor(str(error))}") from None


def _load(info: Any) -> Any:
    """google-auth has one function for all of these, but that asks a second service for the project's name."""
    kind = info["type"]
    match kind:
        case "authorized_user":
            module, maker = "google.oauth2.credentials", "from_authorized_user_info"
        case "service_account":
            module, maker = "google.oauth2.service_account", "from_service_account_info"
        case "impersonated_service_account":
            module, maker = "google.auth.impersonated_credentials", "from_impersonated_service_account_info"
        case "external_account_authorized_user":
            module, maker = "google.auth.external_account_authorized_user", "from_info"
        case "external_account":
            module, maker = _external_module(info["credential_source"]), "from_info"
        case _:
            raise ValueError(f"{kind!r} is no kind of credentials that is known here")
    credentials = import_module(module).Credentials
    return getattr(credentials, maker)(info, scopes=SCOPES)


def _external_module(source: Any) -> str:
    if str(source.get("environment_id", "")).startswith("aws"):
        return "google.auth.aws"
    return "google.auth.pluggable" if "executable" in source else "google.auth.identity_pool"


def from_metadata_server(env: Mapping[str, str], redactor: Redactor) -> GoogleAuth:
    from google.auth import compute_engine

    return GoogleAuth(compute_engine.Credentials(scopes=SCOPES), env, redactor)
