"""Logs of on-prem agents, which are not held in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .resources import OnPremAgents
from .transport import RequestOptions, Transport, segment


class OnPremAgentsWithLogs(OnPremAgents):
    """The on-prem agents of the API, with their logs."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._transport = transport

    @contextmanager
    def download_logs(self, id: int, *, options: RequestOptions | None = None) -> Iterator[Iterator[bytes]]:
        """Download the logs of an on-prem agent, in a ``with`` block, at whose end the rest is dropped.

        A zip archive, which the agent makes for this call, piece by piece. The pieces raise FairleadConnectionError or
        FairleadTimeoutError if the archive ends early. OPA_AGENT_OFFLINE unless the agent is online.

        ``GET /v1/on-prem-agents/{id}/logs``
        """
        with self._transport.stream("GET", f"/v1/on-prem-agents/{segment(id)}/logs", options=options) as content:
            yield content
