"""Verification of deliveries: the HTTP calls by which a destination gets the events of triggers."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any, TypedDict

from .errors import WebhookVerificationError


class WebhookEvent(TypedDict):
    """The body of a delivery: an event of a trigger."""

    id: str
    """``te_…``. The same on every attempt and replay: store it to handle each event once."""
    type: str
    """The slug of the trigger type."""
    trigger_id: str
    occurred_at: str
    payload: Any
    """Described by the trigger type's ``payloadSchema``; a string if ``payload_truncated``."""
    payload_truncated: bool
    payload_hash: str
    """``sha256:`` and the hash, in hex, of the whole payload as it was captured."""


def verify_webhook(
    raw_body: bytes | str,
    header_value: str | None,
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a delivery, once its ``fairlead-signature`` header has proved that whoever holds the destination's
    signing secret sent exactly this body, at most ``tolerance_seconds`` ago. Raises WebhookVerificationError otherwise.

    ``raw_body`` is the body as received: a body that was parsed and serialised again has other bytes. ``now``: when the
    request was received, in Unix seconds; the present time by default.
    """
    if not isinstance(raw_body, (bytes, bytearray, memoryview, str)):
        raise TypeError("verify_webhook needs the raw body: bytes or str")
    if not secret:
        raise ValueError("the signing secret is empty")
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds is no number of seconds")
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    seconds, signatures = _parse_header(header_value or "")
    expected = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not any(hmac.compare_digest(signature, expected) for signature in signatures):
        raise WebhookVerificationError("The signature does not match the body and the secret.")
    if not abs(int(time.time() if now is None else now) - int(seconds)) <= tolerance_seconds:
        raise WebhookVerificationError(f"The signature's time differs by more than {tolerance_seconds:g} seconds.")
    try:
        event: WebhookEvent = json.loads(body)
    except ValueError:
        raise WebhookVerificationError("The body is no JSON.") from None
    return event


def _parse_header(header: str) -> tuple[str, list[str]]:
    """The time of a header as it was sent, and the signatures. Members that are not known are ignored."""
    members = [member.partition("=") for member in header.split(",")]
    times = [value for name, _, value in members if name == "t"]
    signatures = [value for name, _, value in members if name == "v1" and re.fullmatch("[0-9a-f]{64}", value)]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]) or not signatures:
        raise WebhookVerificationError("The fairlead-signature header is missing or malformed.")
    return times[0], signatures
