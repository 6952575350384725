"""Files with their content, which neither way is held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast
from urllib.parse import parse_qs, urlsplit

from . import types
from .resources import Files
from .transport import Content, RequestOptions, Transport, segment

PIECE_BYTES = 64 * 1024


@dataclass(frozen=True)
class FileDownload:
    """A file with its content, as it arrives."""

    file: types.StoredFile
    content: Iterator[bytes]
    """Raises FairleadConnectionError or FairleadTimeoutError if the content ends early."""


class FileTransfers(Files):
    """The files of the API, with their content."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._transport = transport

    def upload(
        self,
        content: bytes | BinaryIO | Iterable[bytes],
        *,
        name: str | None = None,
        content_type: str = "application/octet-stream",
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Upload a file.

        Stores a file of at most 50 MiB for seven days. A file that was opened in binary mode is sent from where it stands,
        and again from there if the upload is repeated; what can only be read once is sent once, without repeats.

        ``POST /v1/files``
        """
        open_content, repeatable = _openable(content)
        return self._transport.call(  # type: ignore[no-any-return]
            "POST",
            "/v1/files",
            query={"name": name},
            content=Content(open_content, content_type, repeatable),
            options=options,
        )

    @contextmanager
    def download(self, file_id: str, *, options: RequestOptions | None = None) -> Iterator[FileDownload]:
        """Download a file, in a ``with`` block, at whose end what was not read is dropped.

        ``GET /v1/files/{fileId}/content``
        """
        file = self.get(file_id, options=options)
        # At this client's own address, which need not be the one that the API calls its public one.
        (token,) = parse_qs(urlsplit(file["url"]).query).get("token", [None])
        with self._transport.stream(
            "GET", f"/v1/files/{segment(file_id)}/content", query={"token": token}, options=options
        ) as content:
            yield FileDownload(file, content)


def _openable(content: bytes | BinaryIO | Iterable[bytes]) -> tuple[Callable[[], bytes | Iterable[bytes]], bool]:
    """What gives the content for a try, and whether it does so more than once."""
    if isinstance(content, (bytes, bytearray, memoryview)):
        whole = bytes(content)
        return lambda: whole, True
    if not hasattr(content, "read"):
        pieces = iter(content)
        return lambda: pieces, False
    file = cast(BinaryIO, content)
    if not file.seekable():
        return lambda: _pieces(file), False
    start = file.tell()

    def from_start() -> Iterable[bytes]:
        file.seek(start)
        return _pieces(file)

    return from_start, True


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE_BYTES):
        yield piece
