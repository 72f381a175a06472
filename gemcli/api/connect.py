"""Opens the way to the service that settings and environment ask for."""

from collections.abc import Mapping

from gemcli.api.adc import adc_file, from_file, from_metadata_server
from gemcli.api.channel import Channel
from gemcli.api.client import GeminiClient
from gemcli.api.credentials import Credentials, api_key, auth_kind, google_token, missing, named_kind
from gemcli.api.endpoints import api_version, code_assist_url, code_assist_version, gemini_url, vertex_url
from gemcli.api.http import Waits, custom_headers, open_http
from gemcli.api.onboarding import Onboarding
from gemcli.api.transport import CodeAssistTransport, GeminiTransport, Transport, VertexTransport
from gemcli.config.catalogue import (
    AUTH_TYPE,
    CONNECT_TIMEOUT,
    ENFORCED_AUTH_TYPE,
    FIRST_BYTE_TIMEOUT,
    SILENCE_TIMEOUT,
)
from gemcli.config.environment import is_true
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings
from gemcli.kinds import AuthKind


def connect(session_id: str, around: Surroundings) -> GeminiClient:
    """A client with credentials; nothing is sent yet."""
    env = around.env
    for value in custom_headers(env).values():
        around.redactor.add(value)
    kind = auth_kind(around.settings.get(AUTH_TYPE), env, adc_file(env, around.paths.home))
    enforced = around.settings.get(ENFORCED_AUTH_TYPE)
    if enforced and named_kind(enforced, ENFORCED_AUTH_TYPE.key) is not kind:
        raise missing(f"Settings accept {enforced} only (security.auth.enforcedType), and this run would use {kind}.")
    credentials, transport = _way(kind, session_id, around)
    waits = _waits(around.settings)
    http = open_http(transport.base_url, env, waits)
    channel = Channel(http, credentials, waits, around.clock, around.redactor, around.trace)
    asks = isinstance(transport, CodeAssistTransport) and transport.project is None
    return GeminiClient(channel, transport, Onboarding(channel, around.clock) if asks else None)


def _way(kind: AuthKind, session_id: str, around: Surroundings) -> tuple[Credentials, Transport]:
    env = around.env
    match kind:
        case AuthKind.API_KEY:
            key = api_key(env, "GEMINI_API_KEY", around.redactor)
            if key is None:
                raise missing("GEMINI_API_KEY is not set, and settings select gemini-api-key.")
            return key, GeminiTransport(gemini_url(env), api_version(env, "v1beta"))
        case AuthKind.VERTEX:
            return _vertex(around)
        case AuthKind.GOOGLE:
            token = google_token(env, around.paths.oauth_creds, around.clock, around.redactor)
            return token, _code_assist(session_id, env)
        case AuthKind.COMPUTE:
            return _compute(around), _code_assist(session_id, env)


def _vertex(around: Surroundings) -> tuple[Credentials, Transport]:
    """Express mode with GOOGLE_API_KEY; otherwise a project, a location and default credentials."""
    env = around.env
    version = api_version(env, "v1beta1")
    key = api_key(env, "GOOGLE_API_KEY", around.redactor)
    if key is not None:
        return key, VertexTransport(vertex_url(env, None), version)
    project, location = _project(env), env.get("GOOGLE_CLOUD_LOCATION", "").strip()
    needed = {"GOOGLE_CLOUD_PROJECT": project, "GOOGLE_CLOUD_LOCATION": location}
    lacking = [name for name, value in needed.items() if not value]
    if lacking:
        raise missing(f"Vertex AI needs {' and '.join(lacking)}; or set GOOGLE_API_KEY for express mode.")
    stored = adc_file(env, around.paths.home)
    credentials = from_file(stored, env, around.redactor) if stored is not None else _compute(around)
    return credentials, VertexTransport(vertex_url(env, location), version, project, location)


def _code_assist(session_id: str, env: Mapping[str, str]) -> CodeAssistTransport:
    return CodeAssistTransport(code_assist_url(env), session_id, code_assist_version(env), _project(env))


def _compute(around: Surroundings) -> Credentials:
    """The account of the Google machine we run on; asked for only when the user says that it is one."""
    if not is_true(around.env.get("GEMINI_CLI_USE_COMPUTE_ADC")):
        raise missing(
            "There are no application default credentials. Set GOOGLE_APPLICATION_CREDENTIALS, run "
            "'gcloud auth application-default login', or on a Google machine set GEMINI_CLI_USE_COMPUTE_ADC=true."
        )
    return from_metadata_server(around.env, around.redactor)


def _project(env: Mapping[str, str]) -> str | None:
    return (env.get("GOOGLE_CLOUD_PROJECT") or env.get("GOOGLE_CLOUD_PROJECT_ID") or "").strip() or None


def _waits(settings: Settings) -> Waits:
    return Waits(settings.get(CONNECT_TIMEOUT), settings.get(FIRST_BYTE_TIMEOUT), settings.get(SILENCE_TIMEOUT))
