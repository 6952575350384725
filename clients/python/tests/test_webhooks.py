"""verify_webhook, against signatures of other implementations."""

from __future__ import annotations

import hashlib
import hmac
import unittest
from typing import Any

from fairlead import WebhookVerificationError, verify_webhook

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
BODY = '{"id": "te_1", "payload": {"city": "Tromsø"}}'
SENT_AT = 1_790_000_000


def sign(body: str = BODY, sent_at: int = SENT_AT) -> str:
    digest = hmac.new(SECRET.encode(), f"{sent_at}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={sent_at},v1={digest}"


class VerifyWebhookTest(unittest.TestCase):
    def refused(self, message: str, *args: Any, **options: Any) -> None:
        with self.assertRaisesRegex(WebhookVerificationError, message):
            verify_webhook(*args, **{"now": SENT_AT, **options})

    def test_returns_the_event_of_text_and_bytes(self) -> None:
        for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
            event = verify_webhook(body, sign(), SECRET, now=SENT_AT)
            self.assertEqual(event, {"id": "te_1", "payload": {"city": "Tromsø"}})

    def test_accepts_the_header_that_openssl_computes(self) -> None:
        header = "t=1790000000,v1=0f2741d5ead30b3c2cecc9fdbf2b742aac5eec80791a9ef6de68df3b9b059fa7"
        self.assertEqual(verify_webhook(b'{"a":1}', header, SECRET, now=SENT_AT), {"a": 1})

    def test_accepts_one_signature_of_several_and_later_schemes(self) -> None:
        header = f"v2=abc,v1={'0' * 64}," + sign()
        self.assertEqual(verify_webhook(BODY, header, SECRET, now=SENT_AT)["id"], "te_1")

    def test_accepts_a_time_that_differs_by_the_tolerance_and_no_more(self) -> None:
        for now in (SENT_AT + 300, SENT_AT - 300):
            self.assertEqual(verify_webhook(BODY, sign(), SECRET, now=now)["id"], "te_1")
        for now in (SENT_AT + 301, SENT_AT - 301):
            self.refused("differs by more than 300 seconds", BODY, sign(), SECRET, now=now)
        self.assertEqual(verify_webhook(BODY, sign(), SECRET, tolerance_seconds=600, now=SENT_AT + 600)["id"], "te_1")
        # The present time is another year.
        self.refused("differs by more than", BODY, sign(sent_at=1), SECRET, now=None)

    def test_refuses_malformed_headers(self) -> None:
        digest = sign().partition("v1=")[2]
        for header in (
            None,
            "",
            f"v1={digest}",
            f"t={SENT_AT}",
            f"t={SENT_AT},t={SENT_AT},v1={digest}",
            f"t=1.79e9,v1={digest}",
            f"t={SENT_AT},v1={digest[:32]}",
            f"t={SENT_AT},v1={'z' * 64}",
            f"t={SENT_AT},v1={'é' * 64}",
        ):
            self.refused("missing or malformed", BODY, header, SECRET)

    def test_refuses_signatures_of_something_else(self) -> None:
        self.refused("does not match", BODY + " ", sign(), SECRET)
        self.refused("does not match", BODY, sign().replace("t=179", "t=178"), SECRET)
        self.refused("does not match", BODY, sign(), SECRET + "A")

    def test_refuses_a_signed_body_that_is_no_json(self) -> None:
        self.refused("no JSON", "{", sign("{"), SECRET)

    def test_tells_a_programmer_of_wrong_arguments(self) -> None:
        with self.assertRaises(TypeError):
            verify_webhook({"id": "te_1"}, sign(), SECRET)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            verify_webhook(BODY, sign(), "")
        with self.assertRaises(ValueError):
            verify_webhook(BODY, sign(), SECRET, tolerance_seconds=float("nan"), now=SENT_AT)


if __name__ == "__main__":
    unittest.main()
