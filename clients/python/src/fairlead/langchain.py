"""Tools for agents of LangChain. It needs the package ``langchain-core``, which this client does not install."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langchain_core.tools import StructuredTool, ToolException

from .errors import FairleadConnectionError, FairleadError, FairleadTimeoutError
from .types import ExecutionResult

if TYPE_CHECKING:
    from . import Fairlead

_UNKNOWN_EFFECT = "It is unknown whether the call took effect: check before you repeat it."
_WORKFLOW = "workflow"
#: Seconds, above the six minutes that an installation waits for a workflow.
_WORKFLOW_TIMEOUT = 370.0


def langchain_tools(client: Fairlead, toolset_id: str, *, end_user_id: str | None = None) -> list[StructuredTool]:
    """The tools of a toolset. ``end_user_id``: the customer of your product whose connections the calls use.

    A call gives the model the tool's output as JSON. One that fails or is refused gives it a message of status ``error``
    that says why. A call that a person has approved meanwhile runs. An invalid credential raises FairleadError.
    """
    listed = client.toolsets.iterate_tools(toolset_id, format="anthropic")
    return [_tool(client, dict(it), {"toolset_id": toolset_id, "end_user_id": end_user_id}) for it in listed]


def _tool(client: Fairlead, listed: dict[str, Any], target: dict[str, str | None]) -> StructuredTool:
    query: dict[str, Any] = {**target, "application_slug": listed["applicationSlug"], "schema_profile": "anthropic"}
    if listed["applicationSlug"] == _WORKFLOW:
        query["options"] = {"timeout": _WORKFLOW_TIMEOUT}

    def execute(inputs: dict[str, Any], approval_id: str | None = None) -> ExecutionResult:
        try:
            return client.tools.execute(listed["toolSlug"], {"fields": inputs}, approval_id=approval_id, **query)
        except FairleadError as error:
            if error.approval_id is None or error.approval_id == approval_id:
                raise
            return execute(inputs, error.approval_id)

    def call(**inputs: Any) -> str:
        try:
            result = execute(inputs)
        except FairleadError as error:
            if error.status == 401:
                raise
            raise ToolException(_explain(error)) from error
        except (FairleadConnectionError, FairleadTimeoutError) as error:
            raise ToolException(f"No answer arrived. {_UNKNOWN_EFFECT}") from error
        if not result["isSuccess"]:
            raise ToolException(f"The tool failed: {result.get('errorMessage') or 'no reason given'}")
        return json.dumps(result["output"], ensure_ascii=False)

    shown = listed["definition"]
    return StructuredTool.from_function(
        call,
        name=shown["name"],
        description=shown["description"],
        args_schema=shown["input_schema"],
        handle_tool_error=True,
    )


def _explain(error: FairleadError) -> str:
    if error.error_code == "APPROVAL_REQUIRED":
        return (
            f"Nothing was executed: a person has to approve this call first (approval {error.approval_id}). "
            "Tell the user so. Once it is approved, call the tool again with the same inputs."
        )
    if error.error_code == "IDEMPOTENCY_IN_PROGRESS":
        return f"The call still runs. {_UNKNOWN_EFFECT}"
    if error.error_code is None:
        return f"The service answered with status {error.status}. {_UNKNOWN_EFFECT}"
    parts = [f"The call was refused ({error.error_code}): {error.message}"]
    if error.candidates:
        parts.append(f"Candidates: {', '.join(error.candidates)}")
    if error.retry_after_seconds is not None:
        parts.append(f"Try again in {error.retry_after_seconds} seconds.")
    if error.status == 504:
        parts.append(_UNKNOWN_EFFECT)
    return " ".join(parts)
