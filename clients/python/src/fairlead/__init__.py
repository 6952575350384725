"""Client of the Fairlead API.

>>> client = Fairlead("https://fairlead.example.com", api_key="fairlead_…")
>>> for connection in client.connections.iterate():
...     print(connection["connectionName"])
"""

from __future__ import annotations

from types import TracebackType

import httpx

from .agent_logs import OnPremAgentsWithLogs
from .errors import FairleadConnectionError, FairleadError, FairleadTimeoutError, WebhookVerificationError
from .files import FileDownload, FileTransfers
from .paging import Page
from .resources import Resources
from .transport import AccessTokenSource, RequestOptions, Transport
from .webhooks import WebhookEvent, verify_webhook

__all__ = [
    "AccessTokenSource",
    "Fairlead",
    "FairleadConnectionError",
    "FairleadError",
    "FairleadTimeoutError",
    "FileDownload",
    "Page",
    "RequestOptions",
    "WebhookEvent",
    "WebhookVerificationError",
    "verify_webhook",
]


class Fairlead(Resources):
    """A client of one installation, for one credential: exactly one of ``api_key`` and ``access_token``.

    Records are dictionaries as the API writes them; their types are in ``fairlead.types``. Methods raise FairleadError
    where the API refuses, FairleadConnectionError or FairleadTimeoutError where no answer came. A client may be used by
    several threads; close it, or use it in a ``with`` block.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        access_token: str | AccessTokenSource | None = None,
        timeout: float = 130.0,
        max_retries: int = 2,
        max_retry_after: float = 60.0,
        http: httpx.Client | None = None,
    ) -> None:
        """``timeout``: seconds for one try. ``max_retries``: tries after the first. ``max_retry_after``: a longer
        Retry-After, in seconds, is raised instead of waited for. ``http``: one of your own, with proxies or certificates.
        """
        if (api_key is None) == (access_token is None):
            raise TypeError("exactly one of api_key and access_token is needed")
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url is no http or https address: {base_url}")
        self._http = http or httpx.Client()
        transport = Transport(
            http=self._http,
            base_url=base_url.rstrip("/"),
            api_key=api_key,
            access_token=access_token,
            timeout=timeout,
            max_retries=max_retries,
            max_retry_after=max_retry_after,
        )
        super().__init__(transport)
        self.files: FileTransfers = FileTransfers(transport)
        self.on_prem_agents: OnPremAgentsWithLogs = OnPremAgentsWithLogs(transport)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Fairlead:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
