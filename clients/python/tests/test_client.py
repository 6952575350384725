"""The hand-written part of the client, against a real HTTP server."""

from __future__ import annotations

import json
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fairlead import Fairlead, FairleadConnectionError, FairleadError, FairleadTimeoutError

Answer = Callable[[BaseHTTPRequestHandler, int], tuple[int, dict[str, str], Any]]


def refusal(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> tuple[int, dict[str, str], Any]:
    envelope = {"errorCode": code, "message": f"Refused: {code}.", "requestId": "req-1", "timestamp": "now"}
    return status, headers or {}, {**envelope, **more}


class Server:
    """Answers what a test says, and keeps what it received."""

    def __init__(self, answer: Answer) -> None:
        self.received: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length).decode()
                outer.received.append(
                    {"method": self.command, "path": self.path, "headers": dict(self.headers.items()), "body": body}
                )
                status, headers, content = answer(self, len(outer.received) - 1)
                if status == 0:
                    self.close_connection = True
                    return
                text = "" if content is None else json.dumps(content)
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


class ClientTest(unittest.TestCase):
    def start(self, answer: Answer, **options: Any) -> tuple[Fairlead, Server]:
        server = Server(answer)
        self.addCleanup(server.close)
        credential = {} if "access_token" in options else {"api_key": "fairlead_key"}
        client = Fairlead(server.url, **credential, **options)
        self.addCleanup(client.close)
        return client, server

    def test_puts_key_path_query_and_body_where_they_belong(self) -> None:
        client, server = self.start(lambda *_: (200, {}, {"isSuccess": True}))
        result = client.tools.execute("a b/c", {"fields": {"name": "Ada"}}, connection_id=3, dry_run=True)
        self.assertEqual(result, {"isSuccess": True})
        request = server.received[0]
        self.assertEqual(request["method"], "POST")
        self.assertEqual(request["path"], "/v1/tools/a%20b%2Fc/execute?connectionId=3&dryRun=true")
        self.assertEqual(json.loads(request["body"]), {"fields": {"name": "Ada"}})
        headers = {name.lower(): value for name, value in request["headers"].items()}
        self.assertEqual(headers["x-api-key"], "fairlead_key")
        self.assertNotIn("authorization", headers)

    def test_an_answer_without_content_is_none(self) -> None:
        client, _ = self.start(lambda *_: (204, {}, None))
        self.assertIsNone(client.connections.delete(3))

    def test_an_id_that_would_name_another_path_is_refused(self) -> None:
        client, server = self.start(lambda *_: (200, {}, {}))
        for slug in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.applications.get(slug)
        self.assertEqual(server.received, [])

    def test_exactly_one_credential(self) -> None:
        for options in ({}, {"api_key": "k", "access_token": "t"}):
            with self.assertRaises(TypeError):
                Fairlead("http://127.0.0.1", **options)  # type: ignore[arg-type]

    def test_iterates_by_what_came_until_the_total(self) -> None:
        pages = [([1, 2], 0), ([3], 2), ([4, 5], 3)]

        def answer(_: Any, index: int) -> tuple[int, dict[str, str], Any]:
            ids, offset = pages[index]
            return 200, {}, {"items": [{"id": i} for i in ids], "totalCount": 5, "offset": offset, "top": 2}

        client, server = self.start(answer)
        found = [connection["id"] for connection in client.connections.iterate(kind="Key", top=2)]
        self.assertEqual(found, [1, 2, 3, 4, 5])
        self.assertEqual(
            [request["path"] for request in server.received],
            [f"/v1/connections?kind=Key&offset={offset}&top=2" for offset in (0, 2, 3)],
        )

    def test_an_empty_page_ends_whatever_the_total_says(self) -> None:
        client, server = self.start(lambda *_: (200, {}, {"items": [], "totalCount": 9, "offset": 0, "top": 2}))
        self.assertEqual(list(client.connections.iterate()), [])
        self.assertEqual(len(server.received), 1)

    def test_errors_carry_the_envelope(self) -> None:
        details = [{"field": "name", "issue": "is required"}]
        client, _ = self.start(lambda *_: refusal(400, "OF_TOMORROW", details=details, candidates=["a"]))
        with self.assertRaises(FairleadError) as caught:
            client.auth.whoami()
        error = caught.exception
        self.assertEqual(
            (error.status, error.error_code, error.message, error.request_id, error.details, error.candidates),
            (400, "OF_TOMORROW", "Refused: OF_TOMORROW.", "req-1", details, ["a"]),
        )

    def test_an_answer_of_a_proxy_has_its_status(self) -> None:
        client, _ = self.start(lambda *_: (404, {"x-request-id": "req-9"}, ["not", "an", "envelope"]))
        with self.assertRaises(FairleadError) as caught:
            client.auth.whoami()
        self.assertEqual((caught.exception.status, caught.exception.error_code), (404, None))
        self.assertEqual(caught.exception.request_id, "req-9")

    def test_a_redirect_is_not_followed(self) -> None:
        other = Server(lambda *_: (200, {}, {}))
        self.addCleanup(other.close)
        client, _ = self.start(lambda *_: (308, {"location": other.url}, None))
        with self.assertRaisesRegex(FairleadError, "redirect"):
            client.auth.whoami()
        self.assertEqual(other.received, [])

    def test_429_waits_as_long_as_it_is_told_but_not_for_an_hour(self) -> None:
        times: list[float] = []

        def answer(_: Any, index: int) -> tuple[int, dict[str, str], Any]:
            times.append(time.monotonic())
            return refusal(429, "RATE_LIMIT_EXCEEDED", {"retry-after": "1"}) if index == 0 else (200, {}, {})

        client, _ = self.start(answer)
        client.auth.whoami()
        self.assertGreaterEqual(times[1] - times[0], 0.99)
        client, server = self.start(lambda *_: refusal(429, "RATE_LIMIT_EXCEEDED", {"retry-after": "3600"}))
        with self.assertRaises(FairleadError) as caught:
            client.auth.whoami()
        self.assertEqual((caught.exception.retry_after_seconds, len(server.received)), (3600, 1))

    def test_a_post_is_repeated_with_its_key_and_never_without_one(self) -> None:
        def answer(_: Any, index: int) -> tuple[int, dict[str, str], Any]:
            return refusal(503, "UNAVAILABLE", {"retry-after": "0"}) if index == 0 else (200, {}, {"isSuccess": True})

        client, server = self.start(answer)
        client.tools.execute("t", {})
        keys = [request["headers"]["idempotency-key"] for request in server.received]
        self.assertEqual(len(keys), 2)
        self.assertEqual(keys[0], keys[1])
        client, server = self.start(lambda *_: refusal(503, "UNAVAILABLE", {"retry-after": "0"}))
        with self.assertRaises(FairleadError):
            client.tools.execute("t", {}, options={"idempotency_key": None})
        with self.assertRaises(FairleadError):
            client.connections.set_default(1)
        self.assertEqual(len(server.received), 2)

    def test_504_is_repeated_for_reads_only(self) -> None:
        client, server = self.start(lambda *_: refusal(504, "TIMEOUT", {"retry-after": "0"}), max_retries=1)
        with self.assertRaises(FairleadError):
            client.tools.execute("t", {})
        self.assertEqual(len(server.received), 1)
        with self.assertRaises(FairleadError):
            client.auth.whoami()
        self.assertEqual(len(server.received), 3)

    def test_a_token_source_is_asked_for_another_after_a_401_once(self) -> None:
        asked: list[str | None] = []

        def source(rejected: str | None) -> str:
            asked.append(rejected)
            return "old" if rejected is None else "new"

        def answer(handler: BaseHTTPRequestHandler, _: int) -> tuple[int, dict[str, str], Any]:
            is_new = handler.headers["authorization"] == "Bearer new"
            return (200, {}, {}) if is_new else refusal(401, "UNAUTHORIZED")

        client, server = self.start(answer, access_token=source)
        client.auth.whoami()
        self.assertEqual((asked, len(server.received)), ([None, "old"], 2))
        client, server = self.start(lambda *_: refusal(401, "UNAUTHORIZED"), access_token=lambda _: "same")
        with self.assertRaises(FairleadError):
            client.auth.whoami()
        self.assertEqual(len(server.received), 1)

    def test_no_answer_has_classes_of_its_own(self) -> None:
        client = Fairlead("http://127.0.0.1:1", api_key="k", max_retries=0)
        with self.assertRaises(FairleadConnectionError):
            client.auth.whoami()
        done = threading.Event()
        self.addCleanup(done.set)

        def silent(*_: Any) -> tuple[int, dict[str, str], Any]:
            done.wait(10)
            return 0, {}, None

        client, _ = self.start(silent)
        with self.assertRaises(FairleadTimeoutError):
            client.auth.whoami(options={"timeout": 0.1, "max_retries": 0})


if __name__ == "__main__":
    unittest.main()
