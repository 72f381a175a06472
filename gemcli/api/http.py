"""The HTTP client: TLS roots, proxies, headers that every request carries."""

import os
import re
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from gemcli import __version__
from gemcli.api.endpoints import is_loopback
from gemcli.errors import ConfigError

_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "i686": "ia32"}
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
_FRAMING = {"content-length", "transfer-encoding", "host", "connection", "te", "upgrade", "expect"}
_NEXT_HEADER = re.compile(r",(?=\s*[^,:]+:)")


@dataclass(frozen=True, slots=True)
class Waits:
    """How many seconds each phase of a request may take."""

    connect: float
    first_byte: float
    silence: float


def user_agent() -> str:
    machine = (
        os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "unknown")
    ).lower()
    return f"gemcli/{__version__} ({sys.platform}; {_ARCHITECTURES.get(machine, machine)})"


def custom_headers(env: Mapping[str, str]) -> dict[str, str]:
    """GEMINI_CLI_CUSTOM_HEADERS: `Name: value, Other: value`."""
    headers: dict[str, str] = {}
    for item in _NEXT_HEADER.split(env.get("GEMINI_CLI_CUSTOM_HEADERS", "")):
        if not item.strip():
            continue
        name, colon, value = item.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not _HEADER_NAME.fullmatch(name) or not is_header_value(value):
            raise ConfigError("GEMINI_CLI_CUSTOM_HEADERS must look like 'Name: value, Other: value', in ASCII.")
        if name in _FRAMING:
            raise ConfigError(f"GEMINI_CLI_CUSTOM_HEADERS cannot set {name}: it belongs to HTTP itself.")
        headers[name] = value
    return headers


def is_header_value(value: str) -> bool:
    return bool(_HEADER_VALUE.fullmatch(value))


def open_http(base_url: str, env: Mapping[str, str], waits: Waits) -> httpx.AsyncClient:
    """A client for this base URL."""
    own = {"content-type": "application/json", "accept-encoding": "identity", "user-agent": user_agent()}
    try:
        return httpx.AsyncClient(
            verify=tls_context(base_url, env),
            proxy=proxy_for(base_url, env),
            trust_env=False,  # the environment comes in by argument
            # Silence is measured by the caller's clock; httpx only bounds the connecting.
            timeout=httpx.Timeout(None, connect=waits.connect),
            headers=custom_headers(env) | own,
        )
    except (ValueError, httpx.InvalidURL, ImportError) as error:
        raise ConfigError(
            f"The proxy settings in the environment cannot be used: {error}", "Look at HTTPS_PROXY and ALL_PROXY."
        ) from error


def proxy_for(url: str, env: Mapping[str, str]) -> str | None:
    """The proxy between us and this address: none to this machine, else what the environment says."""
    parts = urlsplit(url)
    if is_loopback(parts.hostname):
        return None
    names = (f"{parts.scheme}_proxy", "all_proxy")
    proxies = [value for name in names for each in (name, name.upper()) if (value := env.get(each, "").strip())]
    excepted = env.get("no_proxy") or env.get("NO_PROXY") or ""
    if not proxies or any(_is_excepted(parts.hostname or "", item.strip()) for item in excepted.split(",")):
        return None
    return proxies[0] if "://" in proxies[0] else f"http://{proxies[0]}"


def _is_excepted(host: str, pattern: str) -> bool:
    """One item of NO_PROXY: `*`, a host, or a domain with all below it; a port on it is passed over."""
    if pattern == "*":
        return True
    pattern = re.sub(r":\d+$", "", pattern.lower()).lstrip("*.")
    return bool(pattern) and (host == pattern or host.endswith(f".{pattern}"))


def tls_context(url: str, env: Mapping[str, str]) -> ssl.SSLContext:
    """The system's roots plus those the user names; for plain http a context that trusts nobody."""
    if urlsplit(url).scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    import truststore

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
        path = env.get(name, "")
        if path:
            try:
                context.load_verify_locations(cafile=path)
            except (OSError, ssl.SSLError) as error:
                raise ConfigError(f"{name} names {path}, which cannot be read as certificates: {error}.") from error
    return context
