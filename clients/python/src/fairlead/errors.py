"""What can go wrong with a request."""

from __future__ import annotations

from collections.abc import Sequence

from .types import ErrorDetail


class FairleadError(Exception):
    """The API refused the request, or failed at it: an answer came, and its status is not 2xx.

    Branch on ``error_code``: a known one is listed in the documentation, a newer server may answer others, which are
    failures of their status. It is None where the answer was not the API's own (a proxy's, or an empty one).
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        error_code: str | None = None,
        request_id: str | None = None,
        details: Sequence[ErrorDetail] = (),
        candidates: Sequence[str] = (),
        retry_after_seconds: int | None = None,
        approval_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.error_code = error_code
        #: Name it when you ask for help.
        self.request_id = request_id
        #: Of a failed validation: one entry a field.
        self.details = details
        #: The choices of a conflict that offers one.
        self.candidates = candidates
        #: How long the API asks to wait before the next try.
        self.retry_after_seconds = retry_after_seconds
        #: With APPROVAL_REQUIRED: the approval that the call waits for.
        self.approval_id = approval_id


class FairleadConnectionError(Exception):
    """No answer came: the connection was refused or broke, or what answered is not the API."""


class FairleadTimeoutError(Exception):
    """No answer came in time. Whether the request took effect is not known."""


class WebhookVerificationError(Exception):
    """The request is not a delivery that was signed with this secret, within the tolerance. Respond with 401."""
