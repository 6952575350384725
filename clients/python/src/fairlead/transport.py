"""Sends requests: credential, Idempotency-Key, repeats, errors."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypedDict
from urllib.parse import quote

import httpx

from .errors import FairleadConnectionError, FairleadError, FairleadTimeoutError

AccessTokenSource = Callable[[str | None], str]
"""Returns an access token. Called for every request, so it should cache the token. Its argument is None, or a token that the
API has just refused: another one is wanted, or the same where there is none."""

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8.0


class RequestOptions(TypedDict, total=False):
    """What a single request may be given."""

    timeout: float
    """Seconds for one try."""
    max_retries: int
    """Tries after the first."""
    idempotency_key: str | None
    """Of a POST: within 24 hours, the same key answers what the first request with it was answered. Each POST has one of
    its own unless given; None sends none, and the request is then not repeated."""
    headers: Mapping[str, str]
    """Sent in addition."""


class Content(NamedTuple):
    """A body that is sent as it is."""

    open: Callable[[], bytes | Iterable[bytes]]
    """Called for every try."""
    content_type: str
    repeatable: bool
    """Whether ``open`` gives the whole content every time; if not, there is one try."""


class Transport:
    """One installation and one credential. ``sleep`` is there for tests."""

    def __init__(
        self,
        *,
        http: httpx.Client,
        base_url: str,
        api_key: str | None,
        access_token: str | AccessTokenSource | None,
        timeout: float,
        max_retries: int,
        max_retry_after: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._api_key = api_key
        self._access_token = access_token
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_retry_after = max_retry_after
        self._sleep = sleep

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: Content | None = None,
        options: RequestOptions | None = None,
    ) -> Any:
        """The parsed answer; None where it has no content. ``content`` is a body in place of ``body``."""
        response = self._send(
            method, path, query=query, body=body, content=content, accept="application/json", options=options
        )
        try:
            with self._failures(options):
                response.read()
        finally:
            response.close()
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise FairleadConnectionError(
                f"What answers at {self._base_url} is not the API: its answer is no JSON."
            ) from error

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> Iterator[Iterator[bytes]]:
        """The content of the answer as it arrives, in a ``with`` block, at whose end the rest is dropped."""
        response = self._send(method, path, query=query, accept="*/*", options=options)

        def pieces() -> Iterator[bytes]:
            with self._failures(options):
                yield from response.iter_bytes()

        try:
            yield pieces()
        finally:
            response.close()

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None,
        accept: str,
        body: Any = None,
        content: Content | None = None,
        options: RequestOptions | None,
    ) -> httpx.Response:
        """The answer of the last try, which is a success and of which nothing has been read."""
        options = options or {}
        headers = {"accept": accept, **options.get("headers", {})}
        if method == "POST":
            key = options.get("idempotency_key", str(uuid.uuid4()))
            if key is not None:
                headers["idempotency-key"] = key
        send: dict[str, Any] = {
            "params": {name: _text(value) for name, value in (query or {}).items() if value is not None},
            "timeout": options.get("timeout", self._timeout),
        }
        if body is not None:
            send["json"] = body
        if content is not None:
            headers["content-type"] = content.content_type
        is_repeatable = content is None or content.repeatable
        max_retries = options.get("max_retries", self._max_retries)
        name, value = self._credential(None)
        renewed = False
        attempt = 0
        while True:
            headers[name] = value
            if content is not None:
                send["content"] = content.open()
            try:
                return self._try(method, path, headers, send)
            except (FairleadError, FairleadConnectionError, FairleadTimeoutError) as error:
                if not is_repeatable:
                    raise
                if isinstance(error, FairleadError) and error.status == 401 and not renewed:
                    renewed = True
                    again = self._credential(value)
                    if again[1] != value:
                        name, value = again
                        continue
                delay = self._delay(error, method, "idempotency-key" in headers)
                if delay is None or attempt >= max_retries:
                    raise
                self._sleep(delay if delay >= 0 else _backoff(attempt))
                attempt += 1

    def _try(
        self, method: str, path: str, headers: Mapping[str, str], send: Mapping[str, Any]
    ) -> httpx.Response:
        request = self._http.build_request(method, self._base_url + path, headers=headers, **send)
        with self._failures(send):
            # Redirects are not followed: one would carry x-api-key to wherever it leads.
            response = self._http.send(request, stream=True, follow_redirects=False)
            if response.is_success:
                return response
            try:
                response.read()
            finally:
                response.close()
        raise _failure(response)

    @contextmanager
    def _failures(self, options: Mapping[str, Any] | None) -> Iterator[None]:
        """Raises what goes wrong on the way as errors of this client."""
        try:
            yield
        except httpx.TimeoutException as error:
            timeout = (options or {}).get("timeout", self._timeout)
            raise FairleadTimeoutError(f"No answer within {timeout} s.") from error
        except httpx.TransportError as error:
            raise FairleadConnectionError(f"{self._base_url} did not answer: {error}") from error

    def _credential(self, refused: str | None) -> tuple[str, str]:
        if self._api_key is not None:
            return "x-api-key", self._api_key
        token = self._access_token
        if callable(token):
            token = token(None if refused is None else refused.removeprefix("Bearer "))
        return "authorization", f"Bearer {token}"

    def _delay(
        self,
        error: FairleadError | FairleadConnectionError | FairleadTimeoutError,
        method: str,
        has_key: bool,
    ) -> float | None:
        """Seconds before the request is sent again, -1 for the usual backoff, None where it must not be.

        429 was not taken, so any request may be repeated. 503 and no answer: only a GET, or a request that carries an
        Idempotency-Key and so takes effect once. 504: only a GET, because the API keeps no such answer for the key.
        409 IDEMPOTENCY_IN_PROGRESS: an earlier try of ours still runs.
        """
        is_safe = method == "GET"
        if not isinstance(error, FairleadError):
            return -1 if is_safe or has_key else None
        repeatable = (
            error.status == 429
            or (error.status == 503 and (is_safe or has_key))
            or (error.status == 504 and is_safe)
            or (error.error_code == "IDEMPOTENCY_IN_PROGRESS" and has_key)
        )
        if not repeatable:
            return None
        if error.retry_after_seconds is None:
            return -1
        return error.retry_after_seconds if error.retry_after_seconds <= self._max_retry_after else None


def segment(value: str | int) -> str:
    """One segment of a path. Raises ValueError for what would change which path it is."""
    text = str(value)
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot name a record")
    return quote(text, safe="")


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _backoff(attempt: int) -> float:
    """Equal jitter: clients that failed together come back apart, and never at once."""
    delay: float = min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2**attempt)
    return delay / 2 + random.uniform(0, delay / 2)


def _failure(response: httpx.Response) -> FairleadError:
    try:
        envelope = response.json()
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict):
        envelope = {}
    message = envelope.get("message")
    if message is None and response.is_redirect:
        message = f"The address answered with a redirect to {response.headers['location']}: use that as base_url."
    return FairleadError(
        message or f"The API answered {response.status_code} {response.reason_phrase}".rstrip() + ".",
        status=response.status_code,
        error_code=envelope.get("errorCode"),
        request_id=envelope.get("requestId") or response.headers.get("x-request-id"),
        details=envelope.get("details") or (),
        candidates=envelope.get("candidates") or (),
        retry_after_seconds=_retry_after(response.headers.get("retry-after")),
        approval_id=envelope.get("approvalId"),
    )


def _retry_after(header: str | None) -> int | None:
    """Seconds of a Retry-After header, which is a number of them or a date (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    if header.isdecimal():
        return int(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0, round((date - datetime.now(timezone.utc)).total_seconds()))
