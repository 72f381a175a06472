"""Where the service is: base URLs and API versions, each with its environment variable."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from gemcli.errors import ConfigError

GEMINI_URL = "https://generativelanguage.googleapis.com"
CODE_ASSIST_URL = "https://cloudcode-pa.googleapis.com"
_LOCATION = re.compile(r"[a-z0-9-]+")
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def gemini_url(env: Mapping[str, str]) -> str:
    return _base_url(env, "GOOGLE_GEMINI_BASE_URL", GEMINI_URL)


def code_assist_url(env: Mapping[str, str]) -> str:
    return _base_url(env, "CODE_ASSIST_ENDPOINT", CODE_ASSIST_URL)


def vertex_url(env: Mapping[str, str], location: str | None) -> str:
    """Regions, the global endpoint and the two multi-regions each have a host of their own."""
    if location is not None and not _LOCATION.fullmatch(location):
        raise ConfigError("GOOGLE_CLOUD_LOCATION must be a name such as us-central1 or global.")
    match location:
        case None | "global":
            host = "aiplatform.googleapis.com"
        case "us" | "eu":
            host = f"aiplatform.{location}.rep.googleapis.com"
        case _:
            host = f"{location}-aiplatform.googleapis.com"
    return _base_url(env, "GOOGLE_VERTEX_BASE_URL", f"https://{host}")


def api_version(env: Mapping[str, str], default: str) -> str:
    return _version(env, "GOOGLE_GENAI_API_VERSION", default)


def code_assist_version(env: Mapping[str, str]) -> str:
    return _version(env, "CODE_ASSIST_API_VERSION", "v1internal")


def is_loopback(host: str | None) -> bool:
    return host in _LOOPBACK or bool(host and host.startswith("127.") and host.replace(".", "").isdigit())


def _base_url(env: Mapping[str, str], name: str, default: str) -> str:
    """A credential goes to this address, so nothing but https will do, except to this machine."""
    url = env.get(name, "").strip().rstrip("/")
    if not url:
        return default
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # both raise on nonsense
    except ValueError as error:
        raise ConfigError(f"{name} is not a URL: {error}.") from error
    if not host or "@" in parts.netloc or "?" in url or "#" in url or not url.isascii() or not url.isprintable():
        raise ConfigError(f"{name} must look like https://host or https://host/path.")
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)):
        return url
    raise ConfigError(f"{name} must use https (http is accepted for this machine only).")


def _version(env: Mapping[str, str], name: str, default: str) -> str:
    version = env.get(name, "").strip() or default
    if not version.isalnum():
        raise ConfigError(f"{name} must be a name such as {default}, not {version!r}.")
    return version
