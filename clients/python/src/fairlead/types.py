# Generated from the OpenAPI document by `npm run generate`; do not edit. sha256:ea743107701967bcc030dfefd1df47f78b0c97539355bea9ef7a4fd3eb8cdc4b

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired


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


class ApiKey(TypedDict):
    id: str
    name: str
    userId: str
    """
    Whom the key acts as.
    """
    maskedKey: str | None
    """
    How the key begins, to recognise it by; null for a key from before that was kept.
    """
    expiresAt: str | None
    """
    Null: it does not expire.
    """
    lastUsedAt: str | None
    """
    To about a minute. Null: never used.
    """
    createdAt: str
    updatedAt: str


class Actor(TypedDict):
    kind: Literal["user", "operator", "system"]
    userId: str | None
    userName: str | None
    """
    As it is now; null where there is no such user any more.
    """
    credentialType: str | None
    credentialId: str | None
    """
    The record of the credential, not the credential.
    """


class Resource(TypedDict):
    """
    What it was done to. A secret is not shown: `hmac:` and a text that is always the same for it.
    """

    type: str
    id: str


class AuditEntry(TypedDict):
    id: str
    actor: Actor
    action: str
    """
    The operation, as this document calls it, or what the platform did by itself.
    """
    resource: Resource | None
    """
    What it was done to. A secret is not shown: `hmac:` and a text that is always the same for it.
    """
    outcome: Literal["attempted", "succeeded", "failed"]
    """
    `attempted`: recorded before it was done, because it may not be done unrecorded.
    """
    requestId: str
    details: dict[str, Any] | None
    createdAt: str
    updatedAt: str
    """
    The same: an entry is never changed.
    """


class AuditReport(TypedDict):
    isIntact: bool
    brokenBatch: int | None
    """
    The first batch that is not as it was sealed.
    """
    problem: str | None
    """
    What is wrong with it, for people.
    """
    batchCount: int
    """
    Batches that were found whole.
    """
    entryCount: int
    """
    Entries in them.
    """
    unchainedCount: int
    """
    Entries of the last seconds, which are in no batch yet.
    """


class Budgets(TypedDict):
    burstPerSecond: int
    """
    Calls a second.
    """
    hourly: int
    """
    Calls an hour.
    """
    searchPerSecond: int
    """
    Searches a second.
    """
    searchPerHour: int
    """
    Searches an hour.
    """
    triggerTestPerMinute: int
    """
    Trigger tests a minute.
    """
    hookPerSecond: int
    """
    Calls a second of each inbound hook.
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
    For each field with discovered values, an object of value to label. Save the value.
    """


class ConnectionTestResult(TypedDict):
    isSuccess: bool
    errorMessage: str | None
    """
    The vendor’s own text, secrets masked; null on success.
    """


class Budgets1(TypedDict):
    """
    A budget that is left out stays as it is.
    """

    burstPerSecond: NotRequired[int]
    """
    Calls a second.
    """
    hourly: NotRequired[int]
    """
    Calls an hour.
    """
    searchPerSecond: NotRequired[int]
    """
    Searches a second.
    """
    searchPerHour: NotRequired[int]
    """
    Searches an hour.
    """
    triggerTestPerMinute: NotRequired[int]
    """
    Trigger tests a minute.
    """
    hookPerSecond: NotRequired[int]
    """
    Calls a second of each inbound hook.
    """


class CreateApiKeyRequest(TypedDict):
    name: str
    userId: NotRequired[str | None]
    """
    Whom the key acts as. Null or absent: the caller.
    """
    expiresAt: NotRequired[str | None]
    """
    In the future. Null or absent: it does not expire.
    """


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
    The state of a completed sign-in; required where the method signs in.
    """
    metadata: NotRequired[dict[str, Any] | None]
    """
    Any JSON object of at most 16 KiB.
    """


RedirectUri: TypeAlias = str


class CreateOAuthClientRequest(TypedDict):
    name: str
    redirectUris: NotRequired[list[RedirectUri]]
    """
    Where people come back to, compared character by character; for authorization_code only.
    """
    grantTypes: NotRequired[list[Literal["authorization_code", "refresh_token", "client_credentials"]]]
    """
    refresh_token needs authorization_code.
    """
    scopes: NotRequired[list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]]
    """
    What the client may ask for; its tokens can do no more than their user may.
    """
    userId: NotRequired[str | None]
    """
    Whom tokens of client credentials act as. Null or absent: the caller.
    """


class Owner(TypedDict):
    userId: str
    email: str


class CreatedApiKey(TypedDict):
    id: str
    name: str
    userId: str
    """
    Whom the key acts as.
    """
    maskedKey: str | None
    """
    How the key begins, to recognise it by; null for a key from before that was kept.
    """
    expiresAt: str | None
    """
    Null: it does not expire.
    """
    lastUsedAt: str | None
    """
    To about a minute. Null: never used.
    """
    createdAt: str
    updatedAt: str
    apiKey: str
    """
    The key itself; nobody can read it again.
    """


class CreatedOAuthClient(TypedDict):
    clientId: str
    name: str
    redirectUris: list[str]
    grantTypes: list[Literal["authorization_code", "refresh_token", "client_credentials"]]
    scopes: list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]
    """
    What the client may ask for at most.
    """
    userId: str
    """
    Whom tokens of client credentials act as.
    """
    createdAt: str
    updatedAt: str
    clientSecret: str
    """
    Nobody can read it again.
    """


DefaultLicence: TypeAlias = Literal["active", "none"]
"""
The licence that a new connection gets.
"""


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
    Only on conflicts that offer a choice.
    """


class Filter(TypedDict):
    field: str
    operator: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "startsWith", "isNull"]
    value: Any


class Sort(TypedDict):
    field: str
    direction: Literal["asc", "desc"]


class ExecuteToolRequest(TypedDict):
    fields: NotRequired[dict[str, Any]]
    """
    The tool’s inputs, by its inputSchema.
    """
    filters: NotRequired[list[Filter]]
    """
    All must hold. Text is literal and case-sensitive; the value of isNull is true or false.
    """
    sorts: NotRequired[list[Sort]]
    top: NotRequired[int]
    offset: NotRequired[int]


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
    Calls made to the vendor, retries included.
    """


class ExecutionResult(TypedDict):
    isSuccess: bool
    """
    Branch on this: a failure at the vendor is a 200 too.
    """
    output: dict[str, Any]
    historyId: int | None
    """
    Null for a dry run, which leaves no history.
    """
    executionInfo: ExecutionInfo
    errorMessage: NotRequired[str]
    """
    Present when isSuccess is false; the vendor’s own text, secrets masked.
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
    A secret that is not a password.
    """
    defaultValue: Any
    """
    Null where there is none.
    """
    options: list[Option]
    providerSlot: str | None
    """
    The slot of an auth provider that holds this field, if one can.
    """


class GetSignInUrlRequest(TypedDict):
    applicationSlug: str
    authenticationId: int
    authProviderId: NotRequired[int]
    """
    Omitted: the account’s default provider. 0: the connector’s own OAuth client. Else: that provider.
    """
    authProvider: NotRequired[str]
    """
    In place of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client.
    """


Kind: TypeAlias = Literal["Regular", "Key", "OPA", "MCPClient"]
"""
Regular, Key (every method is an API key), OPA (on-prem) or MCPClient (a third-party MCP server).
"""


LicenceStatus: TypeAlias = Literal["none", "active", "expired"]


class OAuthClient(TypedDict):
    clientId: str
    name: str
    redirectUris: list[str]
    grantTypes: list[Literal["authorization_code", "refresh_token", "client_credentials"]]
    scopes: list[Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]]
    """
    What the client may ask for at most.
    """
    userId: str
    """
    Whom tokens of client credentials act as.
    """
    createdAt: str
    updatedAt: str


class OperatedAccount(TypedDict):
    accountId: str
    name: str
    isRbacEnabled: bool
    """
    Off: every active user may do all but account administration. On: permissions go by role.
    """
    defaultLicence: DefaultLicence
    budgets: Budgets
    createdAt: str
    updatedAt: str
    erasingAt: str | None
    """
    Since when it is being erased: no credential of it opens anything. Null: it is not.
    """


Permission: TypeAlias = Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write"]


class ReplaceConnectionRequest(TypedDict):
    connectionName: str
    description: NotRequired[str | None]
    fields: NotRequired[dict[str, Any]]
    """
    Absent: the credentials stay. Present: they are replaced whole.
    """
    oauthState: NotRequired[str | None]
    """
    The state of a completed sign-in of the same application and method: re-authenticates. Absent: the sign-in stays.
    """
    metadata: NotRequired[dict[str, Any] | None]
    """
    Any JSON object of at most 16 KiB.
    """


Role: TypeAlias = Literal["owner", "admin", "developer", "member"]


Scope: TypeAlias = Literal["authProviders.manage", "authProviders.create", "authProviders.use", "connections.read", "connections.write", "tools.read", "tools.write", "tools.execute", "triggers.read", "triggers.write", "agents.read", "agents.write", "mcpServers.read", "mcpServers.write", "administration"]


class SetLicenceRequest(TypedDict):
    status: LicenceStatus
    expiresAt: NotRequired[str | None]
    """
    Null or absent: it does not expire.
    """


class SignInStart(TypedDict):
    signInUrl: str
    """
    Open it in the browser of the person who signs in.
    """
    state: str
    """
    Poll it, then send it as `oauthState`. It lives 300 seconds and is used once.
    """


class SigningKeyRotation(TypedDict):
    kid: str
    """
    The id of the key that comes, as the published keys name it.
    """


class Tool(TypedDict):
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
    Relevance; present with a search only.
    """


class UpdateAccountRequest(TypedDict):
    name: NotRequired[str]
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out stays as it is.
    """


class UpdateOperatedAccountRequest(TypedDict):
    name: NotRequired[str]
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out stays as it is.
    """


class UpdateUserRequest(TypedDict):
    email: NotRequired[str]
    name: NotRequired[str]
    password: NotRequired[str]
    role: NotRequired[Role]
    isActive: NotRequired[bool]


class UsageDay(TypedDict):
    date: str
    """
    The day, in UTC.
    """
    calls: int
    """
    Calls of the API that were let in, those that need no budget too.
    """
    executions: int
    """
    Tool executions, as many as the history has.
    """
    events: int
    """
    Trigger events. Always 0: there are no triggers yet.
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
    Off: every credential of the user is refused with ACCOUNT_USER_INACTIVE.
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
    What the role allows; of a bearer token, what its scopes grant of that.
    """
    scopes: list[Scope]
    """
    OAuth scopes of a bearer token; empty for an API key.
    """


class Account(TypedDict):
    accountId: str
    name: str
    isRbacEnabled: bool
    """
    Off: every active user may do all but account administration. On: permissions go by role.
    """
    defaultLicence: DefaultLicence
    budgets: Budgets
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
    The account can connect it now.
    """
    isMcpEnabled: bool
    """
    Its tools may be served on MCP servers.
    """
    supportsObjectSelection: bool
    maturity: Literal["verified", "generated"]
    toolCount: int
    triggerTypeCount: int
    createdAt: str
    updatedAt: str
    score: NotRequired[float]
    """
    Relevance; present with a search only.
    """


class AuthenticationMethod(TypedDict):
    authenticationId: int
    authenticationName: str
    requiresOAuthSignIn: bool
    isDefault: bool
    """
    True for exactly one method of an application.
    """
    fields: list[FieldDescriptor]


class CreateAccountRequest(TypedDict):
    name: str
    isRbacEnabled: NotRequired[bool]
    defaultLicence: NotRequired[DefaultLicence]
    budgets: NotRequired[Budgets1]
    """
    A budget that is left out stays as it is.
    """
    ownerEmail: NotRequired[str]
    """
    Absent: an address at which nobody can be reached, `owner@<the account’s id>.invalid`.
    """
    ownerName: NotRequired[str]
    """
    Absent: what stands before the @ of the e-mail address.
    """
    ownerPassword: NotRequired[str]
    """
    Absent: the owner cannot sign in with a password.
    """


class CreateUserRequest(TypedDict):
    email: str
    name: NotRequired[str]
    """
    Absent: what stands before the @ of the e-mail address.
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
    Off: every active user may do all but account administration. On: permissions go by role.
    """
    defaultLicence: DefaultLicence
    budgets: Budgets
    createdAt: str
    updatedAt: str
    erasingAt: str | None
    """
    Since when it is being erased: no credential of it opens anything. Null: it is not.
    """
    owner: Owner
    apiKey: str
    """
    The owner’s first API key; nobody can read it again.
    """


class Execution(TypedDict):
    historyId: int
    """
    Unique and growing by time; gaps are possible.
    """
    toolSlug: str
    applicationSlug: str
    connectionId: int | None
    isSuccess: bool
    errorMessage: str | None
    fields: dict[str, Any]
    """
    As they were sent, secrets masked.
    """
    output: dict[str, Any]
    executionInfo: ExecutionInfo
    createdAt: str
    updatedAt: str


class Licence(TypedDict):
    """
    A connection without an active licence is Blocked. One whose expiresAt has passed reads as expired.
    """

    status: LicenceStatus
    expiresAt: str | None


class Application(TypedDict):
    slug: str
    name: str
    description: str
    categories: list[str]
    kind: Kind
    logoUrl: str | None
    isAvailable: bool
    """
    The account can connect it now.
    """
    isMcpEnabled: bool
    """
    Its tools may be served on MCP servers.
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
    0: the connector’s own OAuth client; null: none was needed.
    """
    endUserId: str | None
    isDefault: bool
    """
    Tools of the application use it where no connection is named.
    """
    status: Literal["Active", "NeedsReauthentication", "Blocked"]
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
    createdAt: str
    updatedAt: str
