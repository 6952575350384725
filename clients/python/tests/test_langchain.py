"""The tools for LangChain, against a real HTTP server."""

from __future__ import annotations

import importlib.util
import json
import unittest
from typing import Any

from fairlead import Fairlead, FairleadError
from test_client import Answer, Server, refusal

LISTED = {
    "toolSlug": "crm-create-contact",
    "applicationSlug": "crm",
    "definition": {
        "name": "crm-create-contact",
        "description": "Creates a contact.",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}
CREATED = {"isSuccess": True, "output": {"id": "c1", "name": "Tromsø"}, "historyId": 7}


def with_list(*executions: tuple[int, dict[str, str], Any]) -> Answer:
    """Answers the list of tools, then each execution in turn."""
    page = {"items": [LISTED], "totalCount": 1, "offset": 0, "top": 100}
    answers = [(200, {}, page), *executions]
    return lambda _request, index: answers[index]


@unittest.skipUnless(importlib.util.find_spec("langchain_core"), "langchain-core is not installed")
class LangChainTools(unittest.TestCase):
    def call(self, *executions: tuple[int, dict[str, str], Any]) -> Any:
        """Calls the tool as an agent does; returns the message for the model."""
        from fairlead.langchain import langchain_tools

        self.server = Server(with_list(*executions))
        self.addCleanup(self.server.close)
        client = Fairlead(self.server.url, api_key="fairlead_secret", max_retries=0)
        self.addCleanup(client.close)
        [tool] = langchain_tools(client, "set", end_user_id="u 1")
        return tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"name": "Ada"}})

    def test_the_model_gets_the_output_and_the_call_its_toolset_and_end_user(self) -> None:
        message = self.call((200, {}, CREATED))
        self.assertEqual([message.status, message.content], ["success", '{"id": "c1", "name": "Tromsø"}'])
        listed, sent = self.server.received
        self.assertEqual(listed["path"], "/v1/toolsets/set/tools?format=anthropic&offset=0")
        path, query = sent["path"].split("?")
        self.assertEqual(path, "/v1/tools/crm-create-contact/execute")
        self.assertEqual(
            sorted(query.split("&")),
            ["applicationSlug=crm", "endUserId=u+1", "schemaProfile=anthropic", "toolsetId=set"],
        )
        self.assertEqual(json.loads(sent["body"]), {"fields": {"name": "Ada"}})

    def test_a_call_that_was_approved_meanwhile_runs(self) -> None:
        held = refusal(409, "APPROVAL_REQUIRED", approvalId="a1")
        self.assertEqual(self.call(held, (200, {}, CREATED)).status, "success")
        self.assertIn("approvalId=a1", self.server.received[2]["path"])

    def test_a_pending_approval_is_told_to_the_model(self) -> None:
        held = refusal(409, "APPROVAL_REQUIRED", approvalId="a1")
        message = self.call(held, held)
        self.assertEqual(message.status, "error")
        self.assertIn("a person has to approve this call first (approval a1)", message.content)

    def test_failures_are_told_in_words(self) -> None:
        failed = (200, {}, {"isSuccess": False, "errorMessage": "E-mail is taken.", "output": {}, "historyId": 8})
        unknown = "It is unknown whether the call took effect: check before you repeat it."
        for answer, text in [
            (failed, "The tool failed: E-mail is taken."),
            (
                refusal(409, "AMBIGUOUS_TOOL", candidates=["crm", "shop"]),
                "The call was refused (AMBIGUOUS_TOOL): Refused: AMBIGUOUS_TOOL. Candidates: crm, shop",
            ),
            (refusal(504, "TIMEOUT"), f"The call was refused (TIMEOUT): Refused: TIMEOUT. {unknown}"),
            (refusal(409, "IDEMPOTENCY_IN_PROGRESS"), f"The call still runs. {unknown}"),
            ((0, {}, None), f"No answer arrived. {unknown}"),
        ]:
            with self.subTest(text):
                message = self.call(answer)
                self.assertEqual([message.status, message.content], ["error", text])

    def test_an_invalid_key_is_no_message_for_the_model(self) -> None:
        with self.assertRaises(FairleadError) as caught:
            self.call(refusal(401, "UNAUTHORIZED"))
        self.assertEqual(caught.exception.status, 401)


if __name__ == "__main__":
    unittest.main()
