"""Files that go out and come in, against a real HTTP server."""

from __future__ import annotations

import io
import json
import threading
import unittest
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fairlead import Fairlead, FairleadConnectionError, FairleadError

FILE = {
    "fileId": "file_1",
    "name": "a.txt",
    "url": "https://public.example/v1/files/file_1/content?token=t%2B1",
}


class Server:
    """Keeps what it received, and lets a test answer; chunked bodies are put together."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler, int], None]) -> None:
        self.received: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.read_chunks() if "transfer-encoding" in headers else self.read_length()
                outer.received.append(
                    {"method": self.command, "path": self.path, "headers": headers, "body": body}
                )
                answer(self, len(outer.received) - 1)

            def read_length(self) -> bytes:
                return self.rfile.read(int(self.headers.get("content-length") or 0))

            def read_chunks(self) -> bytes:
                body = b""
                # A client that gives up hangs up.
                while size := int(self.rfile.readline() or b"0", 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            do_GET = do_POST = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


def respond(handler: BaseHTTPRequestHandler, status: int, content: Any, **headers: str) -> None:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response(status)
    handler.send_header("content-length", headers.pop("length", str(len(data))))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def unavailable(handler: BaseHTTPRequestHandler) -> None:
    respond(handler, 503, {"errorCode": "UNAVAILABLE", "message": "Later."}, retry_after="0")


class Unseekable(io.BytesIO):
    def seekable(self) -> bool:
        return False


class FilesTest(unittest.TestCase):
    def start(self, answer: Callable[[BaseHTTPRequestHandler, int], None]) -> tuple[Fairlead, Server]:
        server = Server(answer)
        self.addCleanup(server.close)
        client = Fairlead(server.url, api_key="fairlead_key")
        self.addCleanup(client.close)
        return client, server

    def test_an_upload_sends_the_content_as_it_is_with_its_name_and_type(self) -> None:
        client, server = self.start(lambda handler, _: respond(handler, 201, FILE))
        behind = io.BytesIO(b"not content")
        behind.seek(4)
        for content in (b"content", behind, iter([b"con", b"tent"])):
            self.assertEqual(client.files.upload(content, name="ä b.txt", content_type="text/plain"), FILE)
        self.assertEqual(len(server.received), 3)
        for request in server.received:
            self.assertEqual((request["method"], request["body"]), ("POST", b"content"))
            self.assertIn(request["path"], ("/v1/files?name=%C3%A4%20b.txt", "/v1/files?name=%C3%A4+b.txt"))
            self.assertEqual(request["headers"]["content-type"], "text/plain")
            self.assertIn("idempotency-key", request["headers"])
        client.files.upload(b"")
        self.assertEqual(server.received[3]["path"], "/v1/files")
        self.assertEqual(server.received[3]["headers"]["content-type"], "application/octet-stream")

    def test_an_upload_is_repeated_with_the_same_key_and_content(self) -> None:
        def answer(handler: BaseHTTPRequestHandler, index: int) -> None:
            unavailable(handler) if index == 0 else respond(handler, 201, FILE)

        for content in (b"content", io.BytesIO(b"content")):
            client, server = self.start(answer)
            self.assertEqual(client.files.upload(content), FILE)
            first, second = server.received
            self.assertEqual((first["body"], second["body"]), (b"content", b"content"))
            self.assertEqual(first["headers"]["idempotency-key"], second["headers"]["idempotency-key"])

    def test_what_can_only_be_read_once_is_sent_once(self) -> None:
        for content in (iter([b"content"]), Unseekable(b"content")):
            client, server = self.start(lambda handler, _: unavailable(handler))
            with self.assertRaises(FairleadError) as caught:
                client.files.upload(content)
            self.assertEqual((caught.exception.status, len(server.received)), (503, 1))

    def test_a_content_that_fails_is_the_caller_s_error(self) -> None:
        def broken() -> Iterator[bytes]:
            yield b"con"
            raise OSError("the disk is gone")

        client, _ = self.start(lambda *_: None)
        with self.assertRaisesRegex(OSError, "the disk is gone"):
            client.files.upload(broken())

    def test_a_download_is_read_at_the_client_s_own_address_with_the_token_of_the_record(self) -> None:
        def answer(handler: BaseHTTPRequestHandler, index: int) -> None:
            if index == 1:
                unavailable(handler)
            else:
                respond(handler, 200, FILE if index == 0 else b"content")

        client, server = self.start(answer)
        with client.files.download("file_1") as download:
            self.assertEqual((download.file, b"".join(download.content)), (FILE, b"content"))
        paths = ["/v1/files/file_1", *["/v1/files/file_1/content?token=t%2B1"] * 2]
        self.assertEqual([request["path"] for request in server.received], paths)
        self.assertEqual(server.received[2]["headers"]["accept"], "*/*")

    def test_a_download_that_is_refused_raises_and_one_that_ends_early_fails_where_it_is_read(self) -> None:
        def answer(handler: BaseHTTPRequestHandler, _: int) -> None:
            if handler.path == "/v1/files/file_1":
                respond(handler, 200, FILE)
            elif handler.path.startswith("/v1/files/file_1/"):
                respond(handler, 200, b"only this", length="100")
            else:
                respond(handler, 404, {"errorCode": "NOT_FOUND", "message": "No."})

        client, _ = self.start(answer)
        with self.assertRaises(FairleadError) as caught:
            with client.files.download("file_2"):
                pass
        self.assertEqual(caught.exception.error_code, "NOT_FOUND")
        with client.files.download("file_1") as download:
            with self.assertRaises(FairleadConnectionError):
                b"".join(download.content)

    def test_the_logs_of_an_agent_are_read_as_they_come(self) -> None:
        def answer(handler: BaseHTTPRequestHandler, index: int) -> None:
            length = {} if index == 0 else {"length": "100"}
            respond(handler, 200, b"PK\x05\x06\xff", **length)

        client, server = self.start(answer)
        with client.on_prem_agents.download_logs(7) as archive:
            self.assertEqual(b"".join(archive), b"PK\x05\x06\xff")
        request = server.received[0]
        self.assertEqual((request["path"], request["headers"]["accept"]), ("/v1/on-prem-agents/7/logs", "*/*"))
        with client.on_prem_agents.download_logs(7) as archive:
            with self.assertRaises(FairleadConnectionError):
                b"".join(archive)

    def test_logs_that_are_refused_raise_the_reason(self) -> None:
        body = {"errorCode": "OPA_AGENT_OFFLINE", "message": "The agent is Offline."}
        client, _ = self.start(lambda handler, _: respond(handler, 409, body))
        with self.assertRaises(FairleadError) as caught:
            with client.on_prem_agents.download_logs(7):
                pass
        self.assertEqual(caught.exception.error_code, "OPA_AGENT_OFFLINE")


if __name__ == "__main__":
    unittest.main()
