"""HTTP to the service: bytes out, bytes in, and every failure as an ApiError."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import httpx

from gemcli.api.credentials import Credentials
from gemcli.api.http import Waits
from gemcli.api.refusal import refusal
from gemcli.clock import Clock
from gemcli.errors import ApiError, ApiErrorKind
from gemcli.redact import Redactor
from gemcli.trace import Trace

MAX_ERROR_BODY = 256 * 1024
_IDENTITY = ("authorization", "x-goog-api-key", "cookie", "proxy-authorization")
MAX_ANSWER = 64 * 1024 * 1024


class Channel:
    """One attempt per call; what to do about a failure is the caller's business."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        credentials: Credentials,
        waits: Waits,
        clock: Clock,
        redactor: Redactor,
        trace: Trace,
    ) -> None:
        self._http = http
        self._credentials = credentials
        self._waits = waits
        self._clock = clock
        self._redactor = redactor
        self._trace = trace

    async def stream(self, method: str, url: str, body: bytes | None = None) -> AsyncGenerator[bytes]:
        """The bytes of a successful answer as they arrive."""
        started = self._clock.now()
        response = await self._send(method, url, body)
        try:
            left = self._waits.first_byte - (self._clock.now() - started)
            async with aclosing(self._pieces(response, left)) as pieces:
                if not response.is_success:
                    raise await self._refusal(response, pieces)
                async for piece in pieces:
                    yield piece
        finally:
            await response.aclose()

    async def request(self, method: str, url: str, body: bytes | None = None) -> bytes:
        """The whole body of a successful answer."""
        async with aclosing(self.stream(method, url, body)) as pieces:
            return await collect(pieces, MAX_ANSWER)

    def masked(self, text: str) -> str:
        return self._redactor(text)

    def masked_value(self, value: dict[str, Any]) -> dict[str, Any]:
        return self._redactor.value(value)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _send(self, method: str, url: str, body: bytes | None) -> httpx.Response:
        try:
            async with self._clock.timeout(self._waits.first_byte):
                headers = dict(await self._credentials.headers())
                request = self._http.build_request(method, url, content=body, headers=headers)
                if self._trace.is_on:
                    said = (body or b"").decode("utf-8", "replace")
                    self._trace(f"request: {method} {url} {_shown(request.headers)} {said}")
                response = await self._http.send(request, stream=True)
            self._trace(f"answer: status {response.status_code}")
            return response
        except TimeoutError:
            raise _silent(ApiErrorKind.NETWORK, self._waits.first_byte) from None
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error

    async def _pieces(self, response: httpx.Response, wait: float) -> AsyncGenerator[bytes]:
        arriving = response.aiter_bytes()
        while True:
            try:
                async with self._clock.timeout(wait):
                    piece = await anext(arriving)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise _silent(ApiErrorKind.STREAM, wait) from None
            except (httpx.HTTPError, httpx.StreamError) as error:
                lost = self.masked(str(error)) or type(error).__name__
                message = f"The connection was lost in the middle of the answer ({lost})."
                raise ApiError(ApiErrorKind.STREAM, message, reason="CONNECTION_LOST") from error
            wait = self._waits.silence
            yield piece

    async def _refusal(self, response: httpx.Response, pieces: AsyncIterator[bytes]) -> ApiError:
        try:
            body = await collect(pieces, MAX_ERROR_BODY)
        except ApiError:
            body = b""  # the status alone still says what happened
        body = self.masked(body.decode("utf-8", "replace")).encode()
        return refusal(response.status_code, response.headers, body, self._clock)

    def _unreachable(self, error: httpx.HTTPError) -> ApiError:
        host = error.request.url.host
        if isinstance(error, httpx.LocalProtocolError):  # its text may quote a header, and so a credential
            message = "The request cannot be sent: a header or the address is not valid HTTP."
            return ApiError(ApiErrorKind.REFUSED, message, reason="INVALID_REQUEST")
        if _is_untrusted(error):
            return ApiError(
                ApiErrorKind.REFUSED,
                f"The certificate of {host} is not trusted: {error}",
                reason="CERTIFICATE_NOT_TRUSTED",
                hint="Behind a company proxy, name its root certificate in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS.",
            )
        why = self.masked(str(error)) or type(error).__name__
        return ApiError(ApiErrorKind.NETWORK, f"{host} cannot be reached ({why}).", reason="NETWORK_ERROR")


def _shown(headers: httpx.Headers) -> dict[str, str]:
    """Headers for the debug log; those that say who we are without their values."""
    return {name: "…" if name in _IDENTITY else value for name, value in headers.items()}


async def collect(pieces: AsyncIterator[bytes], most: int) -> bytes:
    """All pieces in one, up to `most` bytes."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > most:
            break
    return bytes(body[:most])


def _silent(kind: ApiErrorKind, seconds: float) -> ApiError:
    return ApiError(kind, f"The service was silent for {seconds:.0f} seconds.", reason="TIMEOUT")


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
