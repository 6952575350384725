"""What schemathesis cannot know of the API from its document."""

import json
import os
import re
import uuid

import requests
import schemathesis
from requests.adapters import HTTPAdapter
from schemathesis.openapi.checks import EnsureResourceAvailability, RejectedPositiveData
from urllib3.util import Retry

API_KEY = os.environ["API_KEY"]
BUDGETS = json.loads(os.environ["BUDGETS"])
OWN_KEY_ID = os.environ["API_KEY_ID"]
OWN_USER_ID = os.environ["USER_ID"]
SPARED_ACCOUNTS = os.environ["SPARED_ACCOUNTS"].split(",")

# Said of the form of a request. Every other code of a 400 is a refusal by the state of things, which a valid request meets.
FORM_CODES = {"VALIDATION_ERROR", "MALFORMED_BODY", "INVALID_ENUM_VALUE"}

# Where a request that fits the document can still be invalid, and the fields of which that is true. What a connection or a
# tool takes is said by its application; and that a time is in the future, that an http address is one of this computer, that
# two members or query parameters exclude each other, is not said in the document. Nor are names of a destination's headers, of
# which JSON Schema could only say half: in any letters they must not be reserved or repeated, and one that keeps its value by
# null must be there. What configures a trigger is said by its type, and a filter is JSONata. Lists of an MCP server
# repeat no connection and no workflow.
FIELDS_BEYOND_SCHEMA = {
    "createApiKey": ("expiresAt",),
    "createAuthProvider": ("name", "authenticationId", "values"),
    "updateAuthProvider": ("name", "values"),
    "createConnection": ("fields", "authenticationId", "authProvider", "oauthState"),
    "replaceConnection": ("fields", "oauthState"),
    "createConnectSession": ("redirectUrl", "allowedOrigins", "theme.logoUrl"),
    "importConnection": ("authenticationId", "authProvider", "expiresAt"),
    "getSignInUrl": ("authenticationId", "connectionId", "fields"),
    "createOAuthClient": ("grantTypes", "redirectUris"),
    "sendRequest": ("path", "headers", "body"),
    "createWorkflow": ("inputSchema", "steps", "output"),
    "updateWorkflow": ("inputSchema", "steps", "output"),
    "uploadFile": ("file",),
    "createDestination": ("headers", "max_consecutive_failures"),
    "updateDestination": ("headers", "max_consecutive_failures"),
    "executeTool": ("fields", "filters", "sorts", "top", "offset"),
    "createTrigger": ("configuration", "filter"),
    "updateTrigger": ("configuration", "filter", "triggerTypeSlug"),
    "createOnPremAgent": ("applicationSlug", "settings"),
    "updateOnPremAgent": ("settings",),
    "importApplication": (
        "document",
        "url",
        "fileId",
        "operations",
        "baseUrl",
        "authentication",
        "manifest",
        "serverUrl",
        "package",
        "version",
        "slug",
    ),
    "createMcpServer": ("connections", "workflows"),
    "updateMcpServer": ("connections", "workflows"),
}


def standing_on(case):
    """The ids in the path of a case without which the run cannot go on: its key, its user, the stack's accounts."""
    route = f"{case.method.upper()} {case.operation.path}"
    spared = []
    if route.startswith("DELETE /admin/v1/api-keys/"):
        spared = [OWN_KEY_ID]
    if route.startswith("PATCH /admin/v1/users/"):
        spared = [OWN_USER_ID]
    if case.operation.path.startswith("/operator/v1/accounts/") and case.method.upper() != "GET":
        spared = SPARED_ACCOUNTS
    return [name for name, value in (case.path_parameters or {}).items() if value in spared]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps the run from sawing off the branch it sits on; filters do not see every phase's cases."""
    for name in standing_on(case):
        case.path_parameters[name] = "0"
    # One valid key is as good as another, and the same one for two bodies is a conflict instead of an answer.
    if 0 < len((case.headers or {}).get("Idempotency-Key", "")) <= 255:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


# The route takes 10 calls a second, which the run itself may have used up.
calls = requests.Session()
calls.mount("http://", HTTPAdapter(max_retries=Retry(total=10, status_forcelist=[429], allowed_methods=None)))


@schemathesis.hook
def after_call(context, case, response):
    """Gives the account its budgets back whenever a call changed them: a run on one call an hour would find nothing."""
    if case.operation.definition.raw.get("operationId") == "updateAccount" and response.status_code == 200:
        address = f"{case.operation.base_url.rstrip('/')}/admin/v1/account"
        answer = calls.patch(address, json={"budgets": BUDGETS}, headers={"x-api-key": API_KEY}, timeout=90)
        answer.raise_for_status()


def is_form(body):
    """Whether a body has a part of a multipart form."""
    text = body.encode() if isinstance(body, str) else body or b""
    return b"content-disposition" in text.lower()


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops "valid data was rejected" where the refusal is about the state of things and not about the form, and "created
    resource not found" where what does not exist is another record, which the body names."""
    if isinstance(failure, EnsureResourceAvailability):
        message = response.json().get("message", "")
        missing = re.match(r"The (application|connection|destination|file|tool|toolset|user|workflow) ", message)
        return missing is None or f"/{missing[1]}s/" in case.operation.path
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return True
    answer = response.json()
    if answer.get("errorCode") not in FORM_CODES:
        return False
    # A stateful case may leave the file out, although the schema requires a body, or send its text without the head of a part.
    if case.operation.definition.raw.get("operationId") == "uploadFile" and not is_form(response.request.body):
        return False
    named = FIELDS_BEYOND_SCHEMA.get(case.operation.definition.raw.get("operationId"), ())
    fields = [detail["field"] for detail in answer.get("details") or []]
    return not fields or any(not re.match(rf"({'|'.join(named) or '$.'})(?![^.\[])", field) for field in fields)
