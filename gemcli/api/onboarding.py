"""Code Assist's reception: which project this user's requests belong to."""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, cast

from gemcli.api.channel import Channel
from gemcli.api.transport import CodeAssistTransport
from gemcli.clock import Clock
from gemcli.errors import ApiError, ApiErrorKind, AuthError
from gemcli.lenient_json import parse

Json = dict[str, Any]
_METADATA: Json = {"ideType": "IDE_UNSPECIFIED", "platform": "PLATFORM_UNSPECIFIED", "pluginType": "GEMINI"}
_NAME = re.compile(r"operations/[\w.-]+")
_POLL = 5.0
_POLLS = 60
_NO_TIER = "legacy-tier"


@dataclass(frozen=True, slots=True)
class Onboarding:
    """Asked once per session, and only when the user named no project."""

    channel: Channel
    clock: Clock

    async def transport(self, transport: CodeAssistTransport) -> CodeAssistTransport:
        """The transport with the project that the service names; without one when it names none."""
        known = await self._post(transport.method_url("loadCodeAssist"), {"metadata": _METADATA})
        project = _project(known)
        if not known.get("currentTier"):
            project = await self._onboard(transport, _default_tier(known)) or project
        return replace(transport, project=project)

    async def _onboard(self, transport: CodeAssistTransport, tier: str) -> str | None:
        operation = await self._post(transport.method_url("onboardUser"), {"tierId": tier, "metadata": _METADATA})
        name = str(operation.get("name", ""))
        for _ in range(_POLLS):
            if operation.get("done"):
                return self._finished(operation)
            if not _NAME.fullmatch(name):
                break  # nothing that could be asked about
            await self.clock.sleep(_POLL)
            operation = _object(await self.channel.request("GET", f"{transport.base_url}/{transport.version}/{name}"))
        raise AuthError("Code Assist did not finish setting up this account.", "Try again in a few minutes.")

    def _finished(self, operation: Json) -> str | None:
        error = operation.get("error")
        if error:
            message = cast("Json", error).get("message", "no reason given") if isinstance(error, dict) else error
            raise AuthError(self.channel.masked(f"Code Assist could not set up this account: {message}"))
        response = operation.get("response")
        return _project(cast("Json", response)) if isinstance(response, dict) else None

    async def _post(self, url: str, body: Json) -> Json:
        return _object(await self.channel.request("POST", url, json.dumps(body, separators=(",", ":")).encode()))


def _default_tier(known: Json) -> str:
    tiers = known.get("allowedTiers")
    for tier in cast("list[object]", tiers) if isinstance(tiers, list) else []:
        if isinstance(tier, dict) and cast("Json", tier).get("isDefault"):
            return str(cast("Json", tier).get("id") or _NO_TIER)
    return _NO_TIER


def _project(answer: Json) -> str | None:
    """The project is named by a string in one answer, by an object in another."""
    project = answer.get("cloudaicompanionProject")
    if isinstance(project, dict):
        project = cast("Json", project).get("id")
    return project if isinstance(project, str) and project else None


def _object(data: bytes) -> Json:
    try:
        value = parse(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ApiError(ApiErrorKind.STREAM, "Code Assist sent something that is not JSON.", reason="MALFORMED_EVENT")
    return cast("Json", value)
