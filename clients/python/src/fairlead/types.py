# Generated from the OpenAPI document by `npm run generate`; do not edit. sha256:4e87ba83da7ee7df39d37b3cdad74d74ab2f168af7c5674a8702d3b81f1eb6a3

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class AccountExport(TypedDict):
    exportedAt: str
    account: dict[str, Any]
    users: list[dict[str, Any]]
    apiKeys: list[dict[str, Any]]
    applications: list[dict[str, Any]]
    connections: list[dict[str, Any]]
    executions: list[dict[str, Any]]
    auditEntries: list[dict[str, Any]]
    usage: list[dict[str, Any]]


class ApprovedFile(TypedDict):
    field: str
    """
    The name of the input.
    """
    name: str
    contentType: str
    sizeBytes: int
    sha256: str
    """
    Of the content, in hexadecimal digits.
    """
    text: str | None
    """
    The content; null: it is no UTF-8 text, is larger than 64 KiB, or has, with the texts before it, more than 1 MiB of JSON.
    """


class Actor(TypedDict):
    kind: Literal["user", "operator", "system"]
    userId: str | None
    userName: str | None
    """
    The current name; null if the user no longer exists.
    """
    credentialType: str | None
    credentialId: str | None
    """
    The id of the credential’s record, not the credential.
    """


class Resource(TypedDict):
    """
    The record that the action affected. A secret is shown as `hmac:` and a text that is always the same for that secret.
    """

    type: str
    id: str


class AuditEntry(TypedDict):
    id: str
    actor: Actor
    action: str
    """
    The operation id in this document, or the name of an action of the platform itself.
    """
    resource: Resource | None
    """
    The record that the action affected. A secret is shown as `hmac:` and a text that is always the same for that secret.
    """
    outcome: Literal["attempted", "succeeded", "failed"]
    """
    `attempted`: recorded before the action, because the action must not happen unrecorded.
    """
    requestId: str
    details: dict[str, Any] | None
    createdAt: str
    updatedAt: str
    """
    The same as createdAt: an entry is never changed.
    """


class BrokenFrom(TypedDict):
    """
    The entry from which on the log does not hold; null: no difference was found.
    """

    batch: int
    position: int
    """
    Zero-based place among the entries of the batch.
    """
    entryId: str | None
    """
    The entry that was changed, moved, inserted or removed. If nothing tells it any more: the first that follows, or null if there is none in the batch.
    """
    afterEntryId: str | None
    """
    The last entry before it: the log holds up to and including that one. Null: there is none.
    """


class AuditReport(TypedDict):
    isIntact: bool
    """
    Whether the whole chain holds under the configured keys. False also while a key is missing: then the rest is not known.
    """
    brokenBatch: int | None
    """
    The first batch that differs from what was sealed.
    """
    brokenFrom: BrokenFrom | None
    """
    The entry from which on the log does not hold; null: no difference was found.
    """
    problem: str | None
    """
    What is wrong with it, as readable text.
    """
    missingKeyId: str | None
    """
    The key of the first batch that could not be verified, because AUDIT_KEYS does not have it. The log holds up to there.
    """
    batchCount: int
    """
    Batches that were found intact.
    """
    entryCount: int
    """
    Entries in those batches.
    """
    keylessEntryCount: int
    """
    Entries of those that were sealed before the chain had keys. For these, nothing shows a change by somebody who writes to the database and removes all that follows.
    """
    unchainedCount: int
    """
    Entries of the last few seconds, which are not yet in a batch.
    """


class AuthProviderSlot(TypedDict):
    slot: str
    """
    Key1 to Key10, ApiUser, ApiPassword or BaseUrl.
    """
    label: str
    isSecret: bool
    isRequired: bool


class AuthProviderValue(TypedDict):
    slot: str
    """
    Key1 to Key10, ApiUser, ApiPassword or BaseUrl.
    """
    label: str
    isSecret: bool
    hasValue: bool
    value: str | None
    """
    Null for a secret, and where there is no value.
    """


class Budgets(TypedDict):
    burstPerSecond: int
    """
    Calls per second.
    """
    hourly: int
    """
    Calls per hour.
    """
    searchPerSecond: int
    """
    Searches per second.
    """
    searchPerHour: int
    """
    Searches per hour.
    """
    triggerTestPerMinute: int
    """
    Trigger tests per minute.
    """
    hookPerSecond: int
    """
    Calls per second to each inbound hook.
    """


class Rule(TypedDict):
    """
    The operator’s values.
    """

    weight: float
    accounts: list[str]
    """
    Accounts whose calls always go to the canary.
    """
    headers: list[str]
    """
    Callers who may send `x-canary-<service>`: ids of keys, or `operator`.
    """


class Change(TypedDict):
    """
    The change to these values that applies; null: they apply themselves.
    """

    by: Literal["operator", "analysis", "route"]
    at: str


class CanaryProcess(TypedDict):
    service: str
    instance: str
    """
    Host and id of the process.
    """
    track: Literal["stable", "canary"]
    weight: float | None
    """
    The percentage that it obeys; null: it knows no canary of the service.
    """
    canaryAddresses: int | None
    """
    Number of addresses of the canary that it knows.
    """


class ChangedCanary(TypedDict):
    service: str
    mode: Literal["gateway", "route"]
    """
    `route`: the weights of a route of the Gateway API decide.
    """
    weight: float
    """
    Percentage of the accounts whose calls go to the canary.
    """
    isAborted: bool
    """
    Whether everything goes to stable until a weight is set.
    """
    image: str | None
    """
    Tag of the canary’s image.
    """
    rule: Rule
    """
    The operator’s values.
    """
    change: Change | None
    """
    The change to these values that applies; null: they apply themselves.
    """
    processes: list[CanaryProcess]
    """
    All processes that have answered.
    """
    laggingProcesses: list[CanaryProcess]
    """
    Processes that did not obey the change within half a minute. Empty: all that have answered do.
    """


class ConnectionData(TypedDict):
    applicationSlug: str
    authenticationId: int
    authProviderId: int
    """
    0: the connector’s own OAuth client.
    """
    suggestedName: str
    grantedScopes: list[str]


class CompletedSignIn(TypedDict):
    status: Literal["completed"]
    connectionData: ConnectionData
    fieldOptions: dict[str, Any]
    """
    For each field with discovered values, an object that maps each value to its label. Store the value.
    """


class ConnectTheme(TypedDict):
    mode: Literal["auto", "light", "dark"]
    """
    auto: as the browser prefers.
    """
    primaryColor: str | None
    logoUrl: str | None


class ConnectionTestResult(TypedDict):
    isSuccess: bool
    errorMessage: str | None
    """
    The vendor’s own text with secrets masked; null on success.
    """


class Budgets1(TypedDict):
    """
    A budget that is left out keeps its value.
    """

    burstPerSecond: NotRequired[int]
    """
    Calls per second.
    """
    hourly: NotRequired[int]
    """
    Calls per hour.
    """
    searchPerSecond: NotRequired[int]
    """
    Searches per second.
    """
    searchPerHour: NotRequired[int]
    """
    Searches per hour.
    """
    triggerTestPerMinute: NotRequired[int]
    """
    Trigger tests per minute.
    """
    hookPerSecond: NotRequired[int]
    """
    Calls per second to each inbound hook.
    """


Scope: TypeAlias = str


class CreateAuthProviderRequest(TypedDict):
    name: str
    applicationSlug: str
    authenticationId: int
    isDefault: NotRequired[bool]
    """
    True: the former default of the method is one no longer.
    """
    isEnabled: NotRequired[bool]
    values: NotRequired[dict[str, str]]
    """
    Values by slot. GET /v1/auth-providers/sources lists the slots of each method.
    """
    scopes: NotRequired[list[Scope] | None]
    """
    OAuth scopes to ask for. Null: the scopes of the method.
    """


ApplicationSlug: TypeAlias = str


AllowedOrigin: TypeAlias = str


class Theme(TypedDict):
    mode: NotRequired[Literal["auto", "light", "dark"] | None]
    primaryColor: NotRequired[str | None]
    """
    A colour such as #1a73e8.
    """
    logoUrl: NotRequired[str | None]
    """
    https, or http on a loopback host.
    """


class CreateConnectSessionRequest(TypedDict):
    endUserId: str
    """
    Your id of your customer.
    """
    applicationSlugs: NotRequired[list[ApplicationSlug] | None]
    """
    The only applications that the session offers. Absent or empty: every one that can be connected and is of use only then.
    """
    connectionId: NotRequired[int | None]
    """
    A connection of this end user to renew; the session offers nothing else, and its id stays.
    """
    redirectUrl: NotRequired[str | None]
    """
    Where the hosted page leads in the end; https, or http on a loopback host.
    """
    allowedOrigins: NotRequired[list[AllowedOrigin] | None]
    """
    The origins whose scripts may read GET /connect/status and get messages of the hosted page. Absent or empty: that of redirectUrl.
    """
    locale: NotRequired[str | None]
    """
    A language tag such as en or fr. Absent: the browser’s.
    """
    theme: NotRequired[Theme | None]
    metadata: NotRequired[dict[str, Any] | None]
    """
    Any JSON object of at most 16 KiB; copied to the connections that are made.
    """
    expiresInMinutes: NotRequired[int]


class CreateConnectionRequest(TypedDict):
    applicationSlug: str
    connectionName: str
    description: NotRequired[str | None]
    authenticationId: NotRequired[int]
    """
    Absent: the application’s default method.
    """
    fields: NotRequired[dict[str, Any]]
    """
    Credential values by field name, as the authentication method lists them.
    """
    oauthState: NotRequired[str | None]
    """
    The state of a completed sign-in; required if the method uses OAuth sign-in.
    """
    metadata: NotRequired[dict[str, Any] | None]
    """
    Any JSON object of at most 16 KiB.
    """


class CreateDestinationRequest(TypedDict):
    name: NotRequired[str]
    """
    Default: the host of the URL.
    """
    url: str
    """
    http or https, without user name, password and fragment.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers that each request has in addition, at most 20. Names with the prefixes `fairlead-`, `webhook-` and `proxy-`, and those that HTTP itself uses, are reserved.
    """
    isEnabled: NotRequired[bool]
    maxConsecutiveFailures: NotRequired[int]
    """
    As many events in a row that are dead-lettered disable the destination.
    """
    max_consecutive_failures: NotRequired[int]
    """
    Another spelling of `maxConsecutiveFailures`.
    """


RedirectUri: TypeAlias = str


class CreateOAuthClientRequest(TypedDict):
    name: str
    redirectUris: NotRequired[list[RedirectUri]]
    """
    Where the browser returns to, compared character by character; only for authorization_code.
    """
    grantTypes: NotRequired[list[Literal["authorization_code", "refresh_token", "client_credentials"]]]
    """
    refresh_token requires authorization_code.
    """
    scopes: NotRequired[list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]]
    """
    The scopes that the client may request; its tokens can do no more than their user may.
    """
    userId: NotRequired[str | None]
    """
    The user that client credentials tokens act as. Null or absent: the caller.
    """


class Connection1(TypedDict):
    connectionId: int


class Tool(TypedDict):
    applicationSlug: str
    toolSlug: str


class Workflow(TypedDict):
    workflowToken: str


RequireApprovalItem: TypeAlias = str


class Policy(TypedDict, closed=True):
    """
    The demands of the toolset on calls that name it, at most 64 KiB. Null: none.
    """

    readOnly: NotRequired[bool]
    """
    Only tools that Fairlead’s own catalogue calls read-only may run. An MCP server’s own statements about its tools do not count.
    """
    fixedFields: NotRequired[dict[str, dict[str, Any]]]
    """
    By tool slug: inputs that override the caller’s. A slug means the tools that it named when the policy was saved; an input that none of them has is refused. Whoever reads the toolset sees them, so they are no place for secrets.
    """
    callsPerHour: NotRequired[int | None]
    """
    Calls that may run per UTC hour. Null or absent: any number.
    """
    requireApproval: NotRequired[list[RequireApprovalItem]]
    """
    The slugs of the tools whose calls have to be approved: those that they named when the policy was saved.
    """
    approvedByOther: NotRequired[bool]
    """
    Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.
    """


class CreateToolsetRequest(TypedDict, closed=True):
    name: str
    description: NotRequired[str | None]
    connections: NotRequired[list[Connection1]]
    tools: NotRequired[list[Tool] | None]
    """
    The permitted tools, as their slugs named them when the list was saved. Null: every tool of the connections’ applications.
    """
    workflows: NotRequired[list[Workflow]]
    """
    The workflows that may be run; they need no place in `tools`.
    """
    policy: NotRequired[Policy | None]
    """
    The demands of the toolset on calls that name it, at most 64 KiB. Null: none.
    """


DestinationId: TypeAlias = str


class CreateTriggerRequest(TypedDict):
    name: str
    triggerTypeSlug: str
    """
    See GET /v1/triggers/types.
    """
    connectionId: NotRequired[int | None]
    """
    A connection of the type’s application. Types that need none get one from the server.
    """
    configuration: NotRequired[dict[str, Any]]
    """
    Matches the type’s `configSchema`.
    """
    filter: NotRequired[str | None]
    """
    JSONata over the payload: only a firing for which it is true becomes an event. Null: every one.
    """
    destinationIds: NotRequired[list[DestinationId]]
    """
    Where events go; duplicates fold. A test goes to the first one.
    """
    isEnabled: NotRequired[bool]


class Step(TypedDict):
    id: str
    """
    Unique in the workflow: letters, digits, hyphens and underscores.
    """
    toolSlug: str
    """
    A tool of the catalogue; a workflow cannot run another one.
    """
    applicationSlug: NotRequired[str]
    connectionId: NotRequired[int]
    """
    Otherwise the toolset’s connection is used.
    """
    fields: NotRequired[dict[str, Any]]
    """
    The tool’s inputs. Strings that begin with `=` are JSONata.
    """
    when: NotRequired[str]
    """
    JSONata after `=`, without `item`. Unless it is true, the step is skipped, and absent from `steps`.
    """
    forEach: NotRequired[str]
    """
    JSONata after `=`: the items to call the tool for, at most 1000, one after the other.
    """
    onError: NotRequired[Literal["stop", "continue", "retry"]]
    """
    What happens when the step fails.
    """


class CreateWorkflowRequest(TypedDict):
    name: str
    slug: str
    """
    Unique in the account, and not the slug of a tool.
    """
    description: NotRequired[str | None]
    inputSchema: NotRequired[dict[str, Any]]
    """
    JSON Schema 2020-12 of the inputs, at most 64 KiB. Only the schema of an input itself may have format: file, not one of a part of it.
    """
    steps: list[Step]
    """
    Run in order. Expressions read `input`, `steps.<id>.{isSuccess,output,errorMessage}` and, inside forEach, `item`.
    """
    output: NotRequired[Any]
    """
    Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by their ids. A value that is no object is put in the member `value`.
    """


class Owner(TypedDict):
    userId: str
    email: str


class CreatedOAuthClient(TypedDict):
    clientId: str
    name: str
    redirectUris: list[str]
    grantTypes: list[Literal["authorization_code", "refresh_token", "client_credentials"]]
    scopes: list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]
    """
    The scopes that the client may request.
    """
    userId: str
    """
    The user that client credentials tokens act as.
    """
    createdAt: str
    updatedAt: str
    clientSecret: str
    """
    It cannot be read again.
    """


DefaultLicence: TypeAlias = Literal["active", "none"]
"""
The licence of new connections.
"""


class DeliveryAttempt(TypedDict):
    attempt: int
    """
    From 1; each destination has its own numbers.
    """
    state: Literal["pending", "delivered", "failed", "dead_lettered"]
    """
    `failed`: another attempt followed; `dead_lettered`: none follows by itself.
    """
    destination: str
    """
    The id of the destination.
    """
    status_code: int | None
    """
    Null without a response.
    """
    error: str | None
    """
    A short code, such as `timeout`, `connection_refused` or `http_404`; null if it was delivered.
    """
    duration_ms: int | None
    """
    Null while it is pending.
    """
    next_attempt_at: str | None
    """
    When a pending attempt is due; null while its destination is disabled, and once it was made.
    """
    created_at: str
    """
    When it was queued.
    """


class Destination(TypedDict):
    id: str
    name: str
    url: str
    headers: dict[str, None]
    """
    The names of the headers that each request has in addition; values are not returned.
    """
    isEnabled: bool
    disabledReason: Literal["consecutive_failures", "owner"] | None
    """
    Null while it is enabled.
    """
    consecutiveFailures: int
    """
    Distinct events in a row that were dead-lettered.
    """
    maxConsecutiveFailures: int
    """
    As many of them disable it.
    """
    createdAt: str
    updatedAt: str


class ErrorDetail(TypedDict):
    field: str
    """
    Path of the field as sent: `connections[0].connectionId`.
    """
    issue: str
    """
    What is wrong with it, for people.
    """


class ErrorResponse(TypedDict):
    errorCode: str
    """
    Machine-readable; branch on this. Treat an unknown code as a failure of its status.
    """
    message: str
    """
    For people; may be reworded.
    """
    requestId: str
    """
    The x-request-id of this answer.
    """
    timestamp: str
    details: NotRequired[list[ErrorDetail]]
    """
    Only on field-level validation failures: one entry a field.
    """
    candidates: NotRequired[list[str]]
    """
    Only on conflicts that offer a choice, and the nearest slugs where a slug is not known.
    """
    approvalId: NotRequired[str]
    """
    Only with APPROVAL_REQUIRED: the approval that the call waits for.
    """


class Event(TypedDict):
    id: str
    """
    `te_…`; sorts by the time of the capture.
    """
    type: str
    """
    The slug of the trigger type.
    """
    trigger_id: str
    occurred_at: str
    payload: Any
    """
    Described by the trigger type’s `payloadSchema`; a string if it was truncated.
    """
    payload_truncated: bool
    """
    Whether `payload` is the first 256 KiB of the JSON text of a larger payload, as a string.
    """
    payload_hash: str
    """
    `sha256:` and the hex digest of the whole payload’s JSON text as it was captured.
    """
    delivery: Literal["pending", "dead_lettered", "held", "delivered", "none"]
    """
    Over all destinations: `pending` if an attempt is due at any of them, else `dead_lettered` if it failed for good at any, else `held` if it was older than 24 hours when a destination was enabled again, else `delivered`; `none` without a destination.
    """
    created_at: str
    """
    When it was captured.
    """
    updated_at: str
    """
    When its latest attempt was queued, or it was captured.
    """


class EventBody(TypedDict):
    id: str
    """
    `te_…`; sorts by the time of the capture.
    """
    type: str
    """
    The slug of the trigger type.
    """
    trigger_id: str
    occurred_at: str
    payload: Any
    """
    Described by the trigger type’s `payloadSchema`; a string if it was truncated.
    """
    payload_truncated: bool
    """
    Whether `payload` is the first 256 KiB of the JSON text of a larger payload, as a string.
    """
    payload_hash: str
    """
    `sha256:` and the hex digest of the whole payload’s JSON text as it was captured.
    """


class EventDetail(TypedDict):
    event: Event
    attempts: list[DeliveryAttempt]


class Filter(TypedDict):
    field: str
    operator: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "startsWith", "isNull"]
    value: Any


class Sort(TypedDict):
    field: str
    direction: Literal["asc", "desc"]


OutputField: TypeAlias = str


class ExecuteToolRequest(TypedDict):
    fields: NotRequired[dict[str, Any]]
    """
    The tool’s inputs, according to its inputSchema.
    """
    filters: NotRequired[list[Filter]]
    """
    All filters must match. Text is literal and case-sensitive; the value of isNull is true or false.
    """
    sorts: NotRequired[list[Sort]]
    top: NotRequired[int]
    offset: NotRequired[int]
    outputFields: NotRequired[list[OutputField]]
    """
    Paths of the output to return, such as `items.name`: names of members separated by dots, an array standing for each of its items. Members that the output does not have are left out. Empty: all of it. The history keeps all of it.
    """


class ExecutionInfo(TypedDict):
    startedAt: str
    durationMs: int
    connectionId: int | None
    connectionResolution: Literal["explicit", "toolset", "endUser", "default", "none"]
    """
    The rule that chose the connection.
    """
    applicationSlug: str
    toolSlug: str
    toolVersion: str
    attempts: int
    """
    Calls made to the vendor, including retries.
    """
    userId: str | None
    """
    The user who called; null for a client of an MCP server that has no credential.
    """
    source: Literal["rest", "mcp", "workflow"]
    """
    How the call came in; `workflow` is a step of a workflow, whose run has a row of its own.
    """
    mcpServerName: str | None
    """
    The MCP server that the call, or the run of its workflow, came through, as it was named then.
    """


class ExecutionResult(TypedDict):
    isSuccess: bool
    """
    Branch on this: a failure at the vendor is also a 200.
    """
    output: dict[str, Any]
    """
    With secrets masked as in the history: those of the connection, and what the tool’s schemas flag (`writeOnly`, `format: password`).
    """
    historyId: int | None
    """
    Null for a dry run, which is not recorded in the history.
    """
    executionInfo: ExecutionInfo
    errorMessage: NotRequired[str]
    """
    Present when isSuccess is false; the vendor’s own text with secrets masked.
    """


class Option(TypedDict):
    value: str
    label: str


class FieldDescriptor(TypedDict):
    name: str
    label: str
    description: str
    type: Literal["string", "number", "boolean", "select", "json"]
    isRequired: bool
    isPassword: bool
    """
    A field is secret when isPassword or maskInLogs is true.
    """
    maskInLogs: bool
    """
    True for a secret that is not a password.
    """
    defaultValue: Any
    """
    Null if there is none.
    """
    options: list[Option]
    providerSlot: str | None
    """
    The auth provider slot that holds this field; null if none does.
    """
    atSignIn: bool
    """
    Whether it is sent in `fields` of get-sign-in-url, because the vendor’s address needs it.
    """
    pattern: str | None
    """
    A regular expression that the whole of a text value matches; null: any text.
    """


class GetSignInUrlRequest(TypedDict):
    applicationSlug: str
    authenticationId: int
    fields: NotRequired[dict[str, Any]]
    """
    Values of the method’s fields with `atSignIn`, which the vendor’s address needs; saved with the connection.
    """
    connectionId: NotRequired[int]
    """
    The connection to re-authenticate: the sign-in also asks for the scopes that its calls lacked. PUT the state to that connection.
    """
    authProviderId: NotRequired[int]
    """
    Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id.
    """
    authProvider: NotRequired[str]
    """
    Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client.
    """


class Operation(TypedDict):
    operationId: NotRequired[str]
    """
    As in the document.
    """
    method: NotRequired[str]
    """
    Beside `path`, if there is no `operationId`.
    """
    path: NotRequired[str]
    """
    As in the document: `/contacts/{id}`.
    """
    toolSlug: NotRequired[str]
    """
    Default: the operationId, made a slug.
    """
    description: NotRequired[str]
    """
    Default: that of the document, shortened.
    """


class Authentication(TypedDict, closed=True):
    """
    How connections sign in. Default: the security schemes of the document.
    """

    type: Literal["none"]
    """
    Nothing is sent.
    """


Authentication1 = TypedDict(
    "Authentication1",
    {
        "type": Literal["apiKey"],
        "in": Literal["header", "query", "cookie"],
        "name": str,
    },
    closed=True,
)


class Authentication2(TypedDict, closed=True):
    """
    How connections sign in. Default: the security schemes of the document.
    """

    type: Literal["basic"]
    """
    A user name and a password.
    """


class Authentication3(TypedDict, closed=True):
    """
    How connections sign in. Default: the security schemes of the document.
    """

    type: Literal["bearer"]
    """
    A token in the header Authorization.
    """


class Authentication4(TypedDict, closed=True):
    """
    How connections sign in. Default: the security schemes of the document.
    """

    type: Literal["oauth2"]
    """
    A sign-in by OAuth 2, or the client for itself if there is no authorizationUrl.
    """
    authorizationUrl: NotRequired[str | None]
    """
    The vendor's authorization endpoint.
    """
    tokenUrl: str
    """
    The vendor's token endpoint.
    """
    scopes: NotRequired[list[Scope]]
    """
    Scopes to ask for.
    """


class ImportApplicationRequest(TypedDict):
    source: Literal["openapi", "manifest", "mcp", "piece"]
    """
    openapi: `document`, `url` or `fileId`. manifest: `manifest`. mcp: `serverUrl`, or `package` and `version`. piece: `package` and `version`.
    """
    slug: str
    """
    Slug of the new application.
    """
    document: NotRequired[dict[str, Any]]
    """
    An OpenAPI 3 or Swagger 2.0 document.
    """
    url: NotRequired[str]
    """
    Address of the document, as JSON or YAML of at most 5 MiB.
    """
    fileId: NotRequired[str]
    """
    A file of the account with the document.
    """
    operations: NotRequired[list[Operation]]
    """
    The operations that become tools. Default: all that are not deprecated.
    """
    baseUrl: NotRequired[str]
    """
    Address below which the paths are. Default: the document’s first server.
    """
    authentication: NotRequired[Authentication | Authentication1 | Authentication2 | Authentication3 | Authentication4]
    """
    How connections sign in. Default: the security schemes of the document.
    """
    manifest: NotRequired[dict[str, Any] | str]
    """
    A manifest, as an object or as YAML text; without triggers and handlers.
    """
    serverUrl: NotRequired[str]
    """
    Address of an MCP server.
    """
    package: NotRequired[str]
    """
    Name of a package that the operator has allowed.
    """
    version: NotRequired[str]
    """
    Version of the package.
    """


class ImportConnectionRequest(TypedDict):
    applicationSlug: str
    connectionName: str
    authenticationId: int
    authProviderId: NotRequired[int]
    """
    Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id.
    """
    authProvider: NotRequired[str]
    """
    Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client.
    """
    endUserId: NotRequired[str | None]
    """
    Absent: it is the account’s own.
    """
    accessToken: str
    refreshToken: NotRequired[str | None]
    expiresAt: NotRequired[str | None]
    """
    When the access token expires. Absent: it is used until it is refused.
    """


class SkippedItem(TypedDict):
    operationId: str | None
    method: str
    path: str
    reason: str


class IssuedDestination(TypedDict):
    id: str
    name: str
    url: str
    headers: dict[str, None]
    """
    The names of the headers that each request has in addition; values are not returned.
    """
    isEnabled: bool
    disabledReason: Literal["consecutive_failures", "owner"] | None
    """
    Null while it is enabled.
    """
    consecutiveFailures: int
    """
    Distinct events in a row that were dead-lettered.
    """
    maxConsecutiveFailures: int
    """
    As many of them disable it.
    """
    createdAt: str
    updatedAt: str
    signingSecret: str
    """
    `whsec_` and the base64 of 32 bytes. Returned by create and rotate only.
    """


Kind: TypeAlias = Literal["Regular", "Key", "OPA", "MCPClient"]
"""
Regular, Key (every method is an API key), OPA (on-prem) or MCPClient (a third-party MCP server).
"""


LicenceStatus: TypeAlias = Literal["none", "active", "expired"]


class McpServerChangedTool(TypedDict):
    toolSlug: str
    applicationSlug: str
    changedAt: str
    """
    When the change was noticed.
    """


class McpServerConnection(TypedDict):
    connectionId: int
    applicationSlug: str
    tools: list[str] | None
    """
    Tool slugs. Null: every tool of the application.
    """
    identity: Literal["shared", "user"]
    """
    shared: everybody calls the tools with this connection. user: each user calls them with a connection of their own to the same application, whose `endUserId` is `user:<userId>`; clients without a credential are refused.
    """


Tool1: TypeAlias = str


class McpServerConnectionRequest(TypedDict, closed=True):
    connectionId: int
    applicationSlug: NotRequired[Any]
    """
    Ignored, so that the entries of a record can be sent back.
    """
    tools: NotRequired[list[Tool1] | None]
    """
    Slugs of the tools to serve. Null or absent: every tool of the application.
    """
    identity: NotRequired[Literal["shared", "user"]]
    """
    shared: everybody calls the tools with this connection. user: each user calls them with a connection of their own to the same application, whose `endUserId` is `user:<userId>`; clients without a credential are refused.
    """


class McpServerWorkflow(TypedDict):
    workflowToken: str


class McpServerWorkflowRequest(TypedDict, closed=True):
    workflowToken: str


class OAuthClient(TypedDict):
    clientId: str
    name: str
    redirectUris: list[str]
    grantTypes: list[Literal["authorization_code", "refresh_token", "client_credentials"]]
    scopes: list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]
    """
    The scopes that the client may request.
    """
    userId: str
    """
    The user that client credentials tokens act as.
    """
    createdAt: str
    updatedAt: str


class OnPremAgentProfile(TypedDict):
    name: str
    type: str


class OnPremAgentRelease(TypedDict):
    version: str
    platform: Literal["linux-x64", "linux-arm64"]
    url: str
    """
    The address of the installer.
    """
    sha256: str | None
    """
    Shows that a download is whole, not that it is authentic. Null: degraded.
    """
    sizeBytes: int | None
    """
    Null: degraded.
    """
    releasedAt: str | None
    """
    Null: degraded.
    """
    degraded: bool
    """
    Nothing is known but the address. Refuse such a record if you have to verify the installer.
    """


class OnPremAgentSettings(TypedDict):
    parallelTasks: int
    """
    Tasks at the same time.
    """
    pullPeriodSeconds: int
    """
    The longest wait of a poll. A task starts at once all the same.
    """
    logLevel: Literal["Trace", "Debug", "Information", "Warning", "Error"]
    """
    The agent logs this level and above.
    """


class OnPremAgentSettingsChange(TypedDict):
    parallelTasks: NotRequired[int | None]
    """
    Tasks at the same time, in the range of the application. Null: the default.
    """
    pullPeriodSeconds: NotRequired[int | None]
    """
    The longest wait of a poll, in the range of the application. Null: the default.
    """
    logLevel: NotRequired[Literal["Trace", "Debug", "Information", "Warning", "Error"] | None]


class OnPremAgentToken(TypedDict):
    token: str
    """
    The credential with which the agent connects. Treat it as a secret.
    """


class OperatedAccount(TypedDict):
    accountId: str
    name: str
    isRbacEnabled: bool
    """
    Off: every active user may do everything except account administration. On: the role decides the permissions.
    """
    defaultLicence: DefaultLicence
    maxConnectionsPerEndUser: int
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: Budgets
    createdAt: str
    updatedAt: str
    erasingAt: str | None
    """
    When its erasure began: since then none of its credentials is accepted. Null: it is not being erased.
    """


Permission: TypeAlias = Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write"]


class PromotedCanary(TypedDict):
    service: str
    mode: Literal["gateway", "route"]
    """
    `route`: the weights of a route of the Gateway API decide.
    """
    weight: float
    """
    Percentage of the accounts whose calls go to the canary.
    """
    isAborted: bool
    """
    Whether everything goes to stable until a weight is set.
    """
    image: str | None
    """
    Tag of the canary’s image.
    """
    rule: Rule
    """
    The operator’s values.
    """
    change: Change | None
    """
    The change to these values that applies; null: they apply themselves.
    """
    processes: list[CanaryProcess]
    """
    All processes that have answered.
    """
    laggingProcesses: list[CanaryProcess]
    """
    Processes that did not obey the change within half a minute. Empty: all that have answered do.
    """
    values: dict[str, Any]
    """
    Values of the chart with which the next upgrade makes the canary’s release the stable one.
    """


class QueuedReplays(TypedDict):
    queued: int
    """
    How many events will be replayed.
    """


class RedirectUri1(TypedDict):
    redirectUri: str


class ReplaceConnectionRequest(TypedDict):
    connectionName: str
    description: NotRequired[str | None]
    fields: NotRequired[dict[str, Any]]
    """
    Absent: the credentials are kept. Present: all of them are replaced.
    """
    oauthState: NotRequired[str | None]
    """
    The state of a completed sign-in of the same application and method: re-authenticates. Absent: the sign-in is kept.
    """
    metadata: NotRequired[dict[str, Any] | None]
    """
    Any JSON object of at most 16 KiB.
    """


ReplayEventsRequest = TypedDict(
    "ReplayEventsRequest",
    {
        "triggerId": NotRequired[str],
        "destinationId": NotRequired[str],
        "from": str,
        "to": NotRequired[str],
        "delivery": NotRequired[Literal["pending", "dead_lettered", "held", "delivered", "none"]],
    },
)


Role: TypeAlias = Literal["owner", "admin", "developer", "member"]


Scope2: TypeAlias = Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]


class SendRequestRequest(TypedDict):
    method: NotRequired[Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]]
    path: str
    """
    Relative to the application’s base URL, or a whole URL below it. The segments `.` and `..`, backslashes and spaces are refused, however they are encoded.
    """
    query: NotRequired[dict[str, str | float | bool | list[str | float | bool]]]
    """
    Query parameters by name. A list sends the parameter once for each value.
    """
    headers: NotRequired[dict[str, str]]
    """
    Headers by name. The headers that carry the credential cannot be replaced.
    """
    body: NotRequired[Any]
    """
    A string is sent as it is, anything else as JSON; a content-type header takes precedence.
    """


class SessionConnection(TypedDict):
    connectionId: int
    connectionName: str
    applicationSlug: str


class SetLicenceRequest(TypedDict):
    status: LicenceStatus
    expiresAt: NotRequired[str | None]
    """
    Null or absent: it does not expire.
    """


class SignInStart(TypedDict):
    signInUrl: str
    """
    The address to open in the browser of the person who signs in.
    """
    state: str
    """
    Poll it, then send it as `oauthState`. It is valid for 300 seconds and for one use.
    """


class SigningKeyRotation(TypedDict):
    kid: str
    """
    The id of the next key, as in the published keys.
    """


class StoredFile(TypedDict):
    fileId: str
    url: str
    """
    Downloads the file without a credential, always as an attachment; valid for 15 minutes.
    """
    name: str
    contentType: str
    sizeBytes: int
    sha256: str
    """
    Of the content, in hexadecimal digits.
    """
    createdAt: str
    updatedAt: str
    expiresAt: str
    """
    When the file is removed.
    """


class ToolModel(TypedDict):
    toolSlug: str
    toolName: str
    description: str
    category: str
    applicationSlug: str
    applicationName: str
    version: str
    isDeprecated: bool
    inputSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of the execution’s `fields`.
    """
    outputSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of the execution’s `output`.
    """
    supportsFilters: bool
    supportsSort: bool
    supportsTopOffset: bool
    maxFilters: int
    maxSorts: int
    createdAt: str
    updatedAt: str


class ToolDefinition(TypedDict):
    toolSlug: str
    applicationSlug: str
    definition: dict[str, Any]
    """
    What the model’s API takes. Its name has at most 64 characters, is the same in every list, and no other tool has it.
    """


class ToolListItem(TypedDict):
    toolSlug: str
    toolName: str
    description: str
    category: str
    applicationSlug: str
    applicationName: str
    version: str
    isDeprecated: bool
    inputSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of the execution’s `fields`.
    """
    outputSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of the execution’s `output`.
    """
    supportsFilters: bool
    supportsSort: bool
    supportsTopOffset: bool
    maxFilters: int
    maxSorts: int
    createdAt: str
    updatedAt: str
    score: NotRequired[float]
    """
    Relevance; present only with a search.
    """


class ToolsetConnection(TypedDict):
    connectionId: int


class ToolsetPolicy(TypedDict):
    readOnly: bool
    """
    Only tools that Fairlead’s own catalogue calls read-only may run.
    """
    fixedFields: dict[str, dict[str, Any]]
    """
    By tool slug: inputs that override the caller’s.
    """
    callsPerHour: int | None
    """
    Calls that may run per UTC hour; null: any number.
    """
    requireApproval: list[str]
    """
    The slugs of the tools whose calls have to be approved.
    """
    approvedByOther: bool
    """
    Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.
    """


class ToolsetTool(TypedDict):
    applicationSlug: str
    toolSlug: str


class ToolsetWorkflow(TypedDict):
    workflowToken: str


TriggerGap = TypedDict(
    "TriggerGap",
    {
        "from": str,
        "to": str,
        "reason": str,
    },
)


class TriggerTestResult(TypedDict):
    delivered: bool
    """
    Whether the destination answered with a 2xx.
    """
    status_code: int | None
    """
    Null without a response.
    """
    error: str | None
    """
    A short code, such as `timeout`, `connection_refused` or `http_500`; null if it was delivered.
    """


class TriggerType(TypedDict):
    slug: str
    name: str
    description: str
    applicationSlug: str
    requiresConnection: bool
    """
    Whether a trigger names a connection; otherwise the server supplies one.
    """
    configSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of a trigger’s `configuration`.
    """
    payloadSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of an event’s `payload`.
    """
    kind: Literal["poll", "schedule", "webhook", "system"]
    createdAt: str
    updatedAt: str
    score: NotRequired[float]
    """
    Relevance; present only with a search.
    """


class UpdateAccountRequest(TypedDict):
    name: NotRequired[str]
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    maxConnectionsPerEndUser: NotRequired[int]
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out keeps its value.
    """


Scope3: TypeAlias = str


class UpdateAuthProviderRequest(TypedDict):
    name: NotRequired[str]
    isDefault: NotRequired[bool]
    isEnabled: NotRequired[bool]
    values: NotRequired[dict[str, str]]
    """
    A slot that is left out keeps its value; an empty value clears the slot. A change of a slot with an address needs the secret slots again.
    """
    scopes: NotRequired[list[Scope3] | None]
    """
    OAuth scopes to ask for. Null: the scopes of the method.
    """


class UpdateCanaryRequest(TypedDict):
    weight: float
    """
    Percentage of the accounts whose calls go to the canary. A higher one only adds accounts.
    """


class UpdateDestinationRequest(TypedDict):
    name: NotRequired[str]
    url: NotRequired[str]
    """
    http or https, without user name, password and fragment.
    """
    headers: NotRequired[dict[str, str | None]]
    """
    Replaces all headers. Null keeps the value that a header has, as values are not returned. A change of the origin of `url` needs all values again, or `{}`.
    """
    isEnabled: NotRequired[bool]
    maxConsecutiveFailures: NotRequired[int]
    """
    As many events in a row that are dead-lettered disable the destination.
    """
    max_consecutive_failures: NotRequired[int]
    """
    Another spelling of `maxConsecutiveFailures`.
    """


class UpdateMcpServerRequest(TypedDict, closed=True):
    name: NotRequired[str]
    description: NotRequired[str | None]
    isActive: NotRequired[bool]
    isAnonymousAllowed: NotRequired[Any]
    """
    Ignored: only the creation of a server sets it.
    """
    connections: NotRequired[list[McpServerConnectionRequest]]
    workflows: NotRequired[list[McpServerWorkflowRequest]]
    toolsetId: NotRequired[str | None]
    """
    Every call runs as with this toolset: tools outside of it are not listed, and its policy holds. Null: none.
    """
    contextBudget: NotRequired[int | None]
    """
    Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit.
    """
    confirmDestructive: NotRequired[bool]
    """
    Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused.
    """
    holdChangedTools: NotRequired[bool]
    """
    Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change.
    """
    schemas: NotRequired[Literal["portable", "original"]]
    """
    The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
    """


class UpdateOnPremAgentRequest(TypedDict):
    settings: NotRequired[OnPremAgentSettingsChange | None]


class UpdateOperatedAccountRequest(TypedDict):
    name: NotRequired[str]
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    maxConnectionsPerEndUser: NotRequired[int]
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out keeps its value.
    """


class Tool2(TypedDict):
    applicationSlug: str
    toolSlug: str


class Policy1(TypedDict, closed=True):
    """
    The demands of the toolset on calls that name it, at most 64 KiB. Null: none.
    """

    readOnly: NotRequired[bool]
    """
    Only tools that Fairlead’s own catalogue calls read-only may run. An MCP server’s own statements about its tools do not count.
    """
    fixedFields: NotRequired[dict[str, dict[str, Any]]]
    """
    By tool slug: inputs that override the caller’s. A slug means the tools that it named when the policy was saved; an input that none of them has is refused. Whoever reads the toolset sees them, so they are no place for secrets.
    """
    callsPerHour: NotRequired[int | None]
    """
    Calls that may run per UTC hour. Null or absent: any number.
    """
    requireApproval: NotRequired[list[RequireApprovalItem]]
    """
    The slugs of the tools whose calls have to be approved: those that they named when the policy was saved.
    """
    approvedByOther: NotRequired[bool]
    """
    Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.
    """


class UpdateToolsetRequest(TypedDict, closed=True):
    name: NotRequired[str]
    description: NotRequired[str | None]
    connections: NotRequired[list[Connection1]]
    tools: NotRequired[list[Tool2] | None]
    """
    The permitted tools, as their slugs named them when the list was saved. Null: every tool of the connections’ applications.
    """
    workflows: NotRequired[list[Workflow]]
    """
    The workflows that may be run; they need no place in `tools`.
    """
    policy: NotRequired[Policy1 | None]
    """
    The demands of the toolset on calls that name it, at most 64 KiB. Null: none.
    """


class UpdateTriggerRequest(TypedDict):
    name: NotRequired[str]
    triggerTypeSlug: NotRequired[str]
    """
    Must not change.
    """
    connectionId: NotRequired[int | None]
    """
    A connection of the type’s application. Types that need none get one from the server.
    """
    configuration: NotRequired[dict[str, Any]]
    """
    Matches the type’s `configSchema`.
    """
    filter: NotRequired[str | None]
    """
    JSONata over the payload: only a firing for which it is true becomes an event. Null: every one.
    """
    destinationIds: NotRequired[list[DestinationId]]
    """
    Where events go; duplicates fold. A test goes to the first one.
    """
    isEnabled: NotRequired[bool]


class UpdateUserRequest(TypedDict):
    email: NotRequired[str]
    name: NotRequired[str]
    password: NotRequired[str]
    role: NotRequired[Role]
    isActive: NotRequired[bool]


class UpdateWorkflowRequest(TypedDict):
    name: NotRequired[str]
    slug: NotRequired[str]
    """
    Unique in the account, and not the slug of a tool.
    """
    description: NotRequired[str | None]
    inputSchema: NotRequired[dict[str, Any]]
    """
    JSON Schema 2020-12 of the inputs, at most 64 KiB. Only the schema of an input itself may have format: file, not one of a part of it.
    """
    steps: NotRequired[list[Step]]
    """
    Run in order. Expressions read `input`, `steps.<id>.{isSuccess,output,errorMessage}` and, inside forEach, `item`.
    """
    output: NotRequired[Any]
    """
    Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by their ids. A value that is no object is put in the member `value`.
    """


class UpdatedOnPremAgent(TypedDict):
    appliedToAgent: bool
    """
    Whether the running agent has the settings. Otherwise it gets them when it connects.
    """
    dispatchedTaskIds: list[str]
    """
    The tasks by which they were handed to it.
    """


class UsableAuthProvider(TypedDict):
    id: int
    name: str
    applicationSlug: str
    authenticationId: int
    isDefault: bool
    """
    It is used where no auth provider is named.
    """


class UsageDay(TypedDict):
    date: str
    """
    The day, in UTC.
    """
    calls: int
    """
    Admitted API calls, including those that count against no budget.
    """
    executions: int
    """
    Tool executions in the history.
    """
    events: int
    """
    Trigger events that were captured.
    """


class User(TypedDict):
    userId: str
    email: str
    """
    In lower case; unique in the account.
    """
    name: str
    role: Role
    isActive: bool
    """
    False: every credential of the user is refused with ACCOUNT_USER_INACTIVE.
    """
    createdAt: str
    updatedAt: str


class Whoami(TypedDict):
    accountId: str
    accountName: str
    userId: str
    userName: str
    userEmail: str
    credentialType: Literal["apiKey", "bearer"]
    credentialId: str
    """
    Id of the API key or of the token, not the credential itself.
    """
    roles: list[Literal["owner", "admin", "developer", "member"]]
    permissions: list[Permission]
    """
    What the role allows, limited to the scopes of the credential.
    """
    scopes: list[Scope2] | None
    """
    OAuth scopes of a bearer token, or the permissions that an API key keeps; null for a key that keeps all of its user’s.
    """
    toolsetId: str | None
    """
    The toolset that the API key is confined to; null: none.
    """


class WorkflowStep(TypedDict):
    id: str
    toolSlug: str
    applicationSlug: NotRequired[str]
    connectionId: NotRequired[int]
    fields: dict[str, Any]
    when: NotRequired[str]
    forEach: NotRequired[str]
    onError: Literal["stop", "continue", "retry"]


class Account(TypedDict):
    accountId: str
    name: str
    isRbacEnabled: bool
    """
    Off: every active user may do everything except account administration. On: the role decides the permissions.
    """
    defaultLicence: DefaultLicence
    maxConnectionsPerEndUser: int
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: Budgets
    createdAt: str
    updatedAt: str


class ApiKey(TypedDict):
    id: str
    name: str
    userId: str
    """
    The user that the key acts as.
    """
    maskedKey: str | None
    """
    The beginning of the key, to recognise it by; null for a key that was created before this was stored.
    """
    scopes: list[Permission] | None
    """
    The permissions that the key keeps of its user’s; null: all of them.
    """
    toolsetId: str | None
    """
    The toolset that the key is confined to; null: none.
    """
    expiresAt: str | None
    """
    Null: it does not expire.
    """
    lastUsedAt: str | None
    """
    Accurate to about a minute. Null: never used.
    """
    createdAt: str
    updatedAt: str


class ApplicationSummary(TypedDict):
    slug: str
    name: str
    description: str
    categories: list[str]
    kind: Kind
    logoUrl: str | None
    isAvailable: bool
    """
    Whether the account can connect it now.
    """
    isMcpEnabled: bool
    """
    Whether its tools may be served on MCP servers.
    """
    supportsObjectSelection: bool
    maturity: Literal["verified", "generated"]
    toolCount: int
    triggerTypeCount: int
    createdAt: str
    updatedAt: str
    score: NotRequired[float]
    """
    Relevance; present only with a search.
    """


class Approval(TypedDict):
    approvalId: str
    status: Literal["pending", "approved", "rejected", "used", "expired"]
    toolsetId: str
    applicationSlug: str
    toolSlug: str
    connectionId: int | None
    """
    Null: the tool needs none.
    """
    endUserId: str | None
    """
    The end user whose connection the call uses, or for whom the workflow runs; null: none.
    """
    fields: dict[str, Any]
    """
    The inputs as the call will run; those that the schema marks as secret are masked.
    """
    query: dict[str, Any]
    """
    Filters, sorts, top and offset of the call, those that it has.
    """
    files: list[ApprovedFile]
    """
    The files of the call, whose content it will send: an address was fetched when the approval was requested.
    """
    requestedBy: str
    """
    The userId of the caller.
    """
    decidedBy: str | None
    """
    The userId of who approved or rejected it.
    """
    expiresAt: str
    createdAt: str
    updatedAt: str


class AuthProvider(TypedDict):
    id: int
    name: str
    applicationSlug: str
    authenticationId: int
    isDefault: bool
    """
    It is used where no auth provider is named.
    """
    isEnabled: bool
    values: list[AuthProviderValue]
    scopes: list[str] | None
    """
    Null: the scopes of the method.
    """
    lastError: str | None
    """
    What the vendor said when it last refused the client; null since it was accepted or changed.
    """
    createdAt: str
    updatedAt: str


class AuthProviderMethod(TypedDict):
    authenticationId: int
    authenticationName: str
    slots: list[AuthProviderSlot]


class AuthProviderSource(TypedDict):
    applicationSlug: str
    applicationName: str
    methods: list[AuthProviderMethod]


class AuthenticationMethod(TypedDict):
    authenticationId: int
    authenticationName: str
    requiresOAuthSignIn: bool
    isDefault: bool
    """
    True for exactly one method of an application.
    """
    fields: list[FieldDescriptor]


class Canary(TypedDict):
    service: str
    mode: Literal["gateway", "route"]
    """
    `route`: the weights of a route of the Gateway API decide.
    """
    weight: float
    """
    Percentage of the accounts whose calls go to the canary.
    """
    isAborted: bool
    """
    Whether everything goes to stable until a weight is set.
    """
    image: str | None
    """
    Tag of the canary’s image.
    """
    rule: Rule
    """
    The operator’s values.
    """
    change: Change | None
    """
    The change to these values that applies; null: they apply themselves.
    """
    processes: list[CanaryProcess]
    """
    All processes that have answered.
    """


class ConnectSession(TypedDict):
    sessionId: str
    endUserId: str
    applicationSlugs: list[str]
    """
    Empty: every application that the account can connect and end users may.
    """
    connectionId: int | None
    """
    The connection that the session renews.
    """
    redirectUrl: str | None
    allowedOrigins: list[str]
    locale: str | None
    theme: ConnectTheme
    metadata: dict[str, Any]
    status: Literal["open", "completed", "cancelled", "expired"]
    """
    completed: at least one connection was made or renewed. cancelled: ended before that.
    """
    connections: list[SessionConnection]
    """
    What was made or renewed in the session, in that order.
    """
    lastError: str | None
    """
    Why the last attempt to connect failed; null since one succeeded.
    """
    expiresAt: str
    createdAt: str
    updatedAt: str


class CreateAccountRequest(TypedDict):
    name: str
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    maxConnectionsPerEndUser: NotRequired[int]
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out keeps its value.
    """
    ownerEmail: NotRequired[str]
    """
    Absent: `owner@<account id>.invalid`, an address that cannot receive mail.
    """
    ownerName: NotRequired[str]
    """
    Absent: the part of the e-mail address before the @.
    """
    ownerPassword: NotRequired[str]
    """
    Absent: the owner cannot sign in with a password.
    """


class CreateApiKeyRequest(TypedDict, closed=True):
    name: str
    userId: NotRequired[str | None]
    """
    The user that the key acts as. Null or absent: the caller.
    """
    scopes: NotRequired[list[Permission] | None]
    """
    The permissions that the key keeps of its user’s; one that the user lacks gives nothing. Null or absent: all of them.
    """
    toolsetId: NotRequired[str | None]
    """
    Every execution with the key runs as with this toolset in the query, and the key does nothing else but read tools, applications, the toolset, its own executions and its own files. It ends with the toolset. Null or absent: none.
    """
    expiresAt: NotRequired[str | None]
    """
    In the future. Null or absent: it does not expire.
    """


class CreateMcpServerRequest(TypedDict, closed=True):
    name: str
    description: NotRequired[str | None]
    isAnonymousAllowed: NotRequired[bool]
    """
    Whether clients without a credential may call. It cannot be changed later.
    """
    connections: NotRequired[list[McpServerConnectionRequest]]
    workflows: NotRequired[list[McpServerWorkflowRequest]]
    toolsetId: NotRequired[str | None]
    """
    Every call runs as with this toolset: tools outside of it are not listed, and its policy holds. Null: none.
    """
    contextBudget: NotRequired[int | None]
    """
    Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit.
    """
    confirmDestructive: NotRequired[bool]
    """
    Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused.
    """
    holdChangedTools: NotRequired[bool]
    """
    Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change.
    """
    schemas: NotRequired[Literal["portable", "original"]]
    """
    The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
    """


class CreateOnPremAgentRequest(TypedDict):
    applicationSlug: str
    """
    A slug, or the first characters of one, such as onprem-http.
    """
    name: str
    settings: NotRequired[OnPremAgentSettingsChange | None]


class CreateUserRequest(TypedDict):
    email: str
    name: NotRequired[str]
    """
    Absent: the part of the e-mail address before the @.
    """
    password: NotRequired[str]
    """
    Absent: the user cannot sign in with a password.
    """
    role: NotRequired[Role]
    isActive: NotRequired[bool]


class CreatedAccount(TypedDict):
    accountId: str
    name: str
    isRbacEnabled: bool
    """
    Off: every active user may do everything except account administration. On: the role decides the permissions.
    """
    defaultLicence: DefaultLicence
    maxConnectionsPerEndUser: int
    """
    How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened.
    """
    budgets: Budgets
    createdAt: str
    updatedAt: str
    erasingAt: str | None
    """
    When its erasure began: since then none of its credentials is accepted. Null: it is not being erased.
    """
    owner: Owner
    apiKey: str
    """
    The owner’s first API key; it cannot be read again.
    """


class CreatedApiKey(TypedDict):
    id: str
    name: str
    userId: str
    """
    The user that the key acts as.
    """
    maskedKey: str | None
    """
    The beginning of the key, to recognise it by; null for a key that was created before this was stored.
    """
    scopes: list[Permission] | None
    """
    The permissions that the key keeps of its user’s; null: all of them.
    """
    toolsetId: str | None
    """
    The toolset that the key is confined to; null: none.
    """
    expiresAt: str | None
    """
    Null: it does not expire.
    """
    lastUsedAt: str | None
    """
    Accurate to about a minute. Null: never used.
    """
    createdAt: str
    updatedAt: str
    apiKey: str
    """
    The key itself; it cannot be read again.
    """


class CreatedConnectSession(TypedDict):
    sessionId: str
    endUserId: str
    applicationSlugs: list[str]
    """
    Empty: every application that the account can connect and end users may.
    """
    connectionId: int | None
    """
    The connection that the session renews.
    """
    redirectUrl: str | None
    allowedOrigins: list[str]
    locale: str | None
    theme: ConnectTheme
    metadata: dict[str, Any]
    status: Literal["open", "completed", "cancelled", "expired"]
    """
    completed: at least one connection was made or renewed. cancelled: ended before that.
    """
    connections: list[SessionConnection]
    """
    What was made or renewed in the session, in that order.
    """
    lastError: str | None
    """
    Why the last attempt to connect failed; null since one succeeded.
    """
    expiresAt: str
    createdAt: str
    updatedAt: str
    token: str
    """
    The bearer token of GET /connect/status for this session.
    """
    connectUrl: str
    """
    The hosted page, for the end user’s browser.
    """


class CreatedOnPremAgent(TypedDict):
    id: int
    name: str
    applicationSlug: str
    status: Literal["WaitingForConnection", "Online", "Offline"]
    """
    WaitingForConnection: it has never connected. Offline: it has said goodbye, has been silent for three poll periods, or its token was replaced.
    """
    settings: OnPremAgentSettings
    agentVersion: str | None
    """
    Null: it has never connected.
    """
    platform: str | None
    """
    Such as linux-x64. Null: it has never connected.
    """
    profiles: list[OnPremAgentProfile]
    """
    Names and types of the credentials in the agent’s own configuration, which tools name as `profile`. Their values stay there.
    """
    lastSeenAt: str | None
    """
    Null: it has never connected.
    """
    createdAt: str
    token: str
    """
    The credential with which the agent connects. Treat it as a secret.
    """


class Execution(TypedDict):
    historyId: int
    """
    Unique and increasing over time; gaps are possible.
    """
    toolSlug: str
    applicationSlug: str
    connectionId: int | None
    isSuccess: bool
    errorMessage: str | None
    fields: dict[str, Any]
    """
    As they were sent, with secrets masked.
    """
    output: dict[str, Any]
    executionInfo: ExecutionInfo
    createdAt: str
    updatedAt: str


class ImportedApplication(TypedDict):
    slug: str
    name: str
    description: str
    categories: list[str]
    kind: Kind
    logoUrl: str | None
    isAvailable: bool
    """
    Whether the account can connect it now.
    """
    isMcpEnabled: bool
    """
    Whether its tools may be served on MCP servers.
    """
    supportsObjectSelection: bool
    maturity: Literal["verified", "generated"]
    toolCount: int
    triggerTypeCount: int
    createdAt: str
    updatedAt: str
    authenticationMethods: list[AuthenticationMethod]
    skipped: list[SkippedItem]
    """
    Operations that became no tool.
    """


class Licence(TypedDict):
    """
    A connection without an active licence is Blocked. A licence whose expiresAt has passed is shown as expired.
    """

    status: LicenceStatus
    expiresAt: str | None


ListToolsItem: TypeAlias = ToolListItem | ToolDefinition


ListToolsetToolsItem: TypeAlias = ToolModel | ToolDefinition


class McpServer(TypedDict):
    mcpServerToken: str
    """
    Names the server, and opens its address if it admits anonymous clients. Treat it as a secret.
    """
    name: str
    description: str | None
    url: str
    """
    The address for MCP clients. It holds the token.
    """
    oauthUrl: str
    """
    An address without the token, for clients that sign in with OAuth.
    """
    isActive: bool
    """
    False: the endpoint answers as if the server did not exist.
    """
    isAnonymousAllowed: bool
    """
    Whether clients without a credential may call.
    """
    connections: list[McpServerConnection]
    workflows: list[McpServerWorkflow]
    toolsetId: str | None
    """
    Every call runs as with this toolset. Null: none.
    """
    contextBudget: int | None
    """
    Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit.
    """
    confirmDestructive: bool
    """
    Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused.
    """
    holdChangedTools: bool
    """
    Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change.
    """
    changedTools: list[McpServerChangedTool]
    """
    The tools that are held because they have changed.
    """
    schemas: Literal["portable", "original"]
    """
    The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
    """
    createdAt: str
    updatedAt: str


class OnPremAgent(TypedDict):
    id: int
    name: str
    applicationSlug: str
    status: Literal["WaitingForConnection", "Online", "Offline"]
    """
    WaitingForConnection: it has never connected. Offline: it has said goodbye, has been silent for three poll periods, or its token was replaced.
    """
    settings: OnPremAgentSettings
    agentVersion: str | None
    """
    Null: it has never connected.
    """
    platform: str | None
    """
    Such as linux-x64. Null: it has never connected.
    """
    profiles: list[OnPremAgentProfile]
    """
    Names and types of the credentials in the agent’s own configuration, which tools name as `profile`. Their values stay there.
    """
    lastSeenAt: str | None
    """
    Null: it has never connected.
    """
    createdAt: str


class Toolset(TypedDict):
    id: str
    name: str
    description: str | None
    connections: list[ToolsetConnection]
    tools: list[ToolsetTool] | None
    """
    Null: every tool of the connections’ applications.
    """
    workflows: list[ToolsetWorkflow]
    policy: ToolsetPolicy | None
    createdAt: str
    updatedAt: str


class Trigger(TypedDict):
    id: str
    name: str
    triggerTypeSlug: str
    connectionId: int
    """
    Supplied by the server if the type needs no connection.
    """
    configuration: dict[str, Any]
    filter: str | None
    destinationIds: list[str]
    isEnabled: bool
    inboundUrl: str | None
    """
    The address whose calls fire it; anybody who knows it may call. Null unless the type is http_webhook.
    """
    lastFiredAt: str | None
    lastError: str | None
    gaps: list[TriggerGap]
    """
    Times during which it may have missed firings; the last 10.
    """
    createdAt: str
    updatedAt: str


class Workflow2(TypedDict):
    workflowToken: str
    name: str
    slug: str
    """
    The tool slug under which it runs, with a toolset that holds it.
    """
    description: str | None
    inputSchema: dict[str, Any]
    """
    JSON Schema 2020-12 of the execution’s `fields`.
    """
    steps: list[WorkflowStep]
    output: Any
    """
    Null: the outputs of the steps, by their ids.
    """
    createdAt: str
    updatedAt: str


class Application(TypedDict):
    slug: str
    name: str
    description: str
    categories: list[str]
    kind: Kind
    logoUrl: str | None
    isAvailable: bool
    """
    Whether the account can connect it now.
    """
    isMcpEnabled: bool
    """
    Whether its tools may be served on MCP servers.
    """
    supportsObjectSelection: bool
    maturity: Literal["verified", "generated"]
    toolCount: int
    triggerTypeCount: int
    createdAt: str
    updatedAt: str
    authenticationMethods: list[AuthenticationMethod]


class Connection(TypedDict):
    id: int
    connectionName: str
    description: str | None
    applicationSlug: str
    applicationName: str
    kind: Kind
    authenticationId: int
    authenticationName: str
    authProviderId: int | None
    """
    0: the connector’s own OAuth client; null: no auth provider is used.
    """
    endUserId: str | None
    isDefault: bool
    """
    Tools of the application use it if the call names no connection.
    """
    status: Literal["Active", "NeedsReauthentication", "Blocked"]
    statusReason: str | None
    """
    Why the status is not Active, for people.
    """
    statusChangedAt: str
    """
    When the connection got its status.
    """
    licence: Licence
    fields: dict[str, Any]
    """
    Values by field name; secret ones are null.
    """
    secretFields: list[str]
    """
    Names of the secret fields that hold a value.
    """
    metadata: dict[str, Any]
    grantedScopes: list[str] | None
    """
    The scopes that the vendor granted; null if the method has none, or they are not known.
    """
    lastUsedAt: str | None
    """
    When a tool or a test last used it, at most a minute late; null before the first use.
    """
    createdAt: str
    updatedAt: str
