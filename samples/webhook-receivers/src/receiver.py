"""Receives the events of a destination: set WEBHOOK_SECRET to its signing secret. README.md says how to run it."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fairlead import WebhookVerificationError, verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]
MAX_BODY_BYTES = 1_048_576

# An event may arrive more than once, always with the same id. Use a unique index of your database instead of this set.
handled: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        if length < 0:
            self.respond(400)
            return
        if length > MAX_BODY_BYTES:
            self.respond(413)
            return
        try:
            # The raw body: JSON that was parsed and written again has another signature.
            event = verify_webhook(self.rfile.read(length), self.headers.get("fairlead-signature"), SECRET)
        except WebhookVerificationError:
            self.respond(401)
            return
        if event["id"] not in handled:
            print(event["id"], event["type"], flush=True)
            handled.add(event["id"])
        # Any 2xx acknowledges the event.
        self.respond(204)

    def respond(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
