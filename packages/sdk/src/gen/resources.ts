// Generated from the OpenAPI document by `npm run generate`; do not edit.

import { iterate } from '../paging.ts';
import type { Page } from '../paging.ts';
import { segment } from '../transport.ts';
import type { RequestOptions, Transport } from '../transport.ts';
import type {
  AbortCanaryQuery,
  Account,
  AccountExport,
  ApiKey,
  Application,
  ApplicationSummary,
  Approval,
  AuditEntry,
  AuditReport,
  AuthProvider,
  AuthProviderSource,
  Canary,
  ChangedCanary,
  CompletedSignIn,
  ConnectSession,
  Connection,
  ConnectionTestResult,
  CreateAccountRequest,
  CreateApiKeyRequest,
  CreateAuthProviderRequest,
  CreateConnectSessionRequest,
  CreateConnectionQuery,
  CreateConnectionRequest,
  CreateDestinationRequest,
  CreateMcpServerRequest,
  CreateOAuthClientRequest,
  CreateOnPremAgentRequest,
  CreateToolsetRequest,
  CreateTriggerRequest,
  CreateUserRequest,
  CreateWorkflowRequest,
  CreatedAccount,
  CreatedApiKey,
  CreatedConnectSession,
  CreatedOAuthClient,
  CreatedOnPremAgent,
  DeleteConnectionQuery,
  DeleteOnPremAgentQuery,
  DeleteWorkflowQuery,
  Destination,
  Event,
  EventBody,
  EventDetail,
  ExecuteToolQuery,
  ExecuteToolRequest,
  Execution,
  ExecutionResult,
  GetLatestAgentReleaseQuery,
  GetRedirectUriQuery,
  GetSignInUrlRequest,
  GetToolQuery,
  GetUsageQuery,
  ImportApplicationRequest,
  ImportConnectionRequest,
  ImportedApplication,
  IssuedDestination,
  ListAccountsQuery,
  ListAllConnectionsQuery,
  ListApiKeysQuery,
  ListApplicationsQuery,
  ListApprovalsQuery,
  ListAuditEntriesQuery,
  ListAuthProviderSourcesQuery,
  ListAuthProvidersQuery,
  ListCanariesQuery,
  ListConnectionsQuery,
  ListDestinationsQuery,
  ListEventsQuery,
  ListExecutionsQuery,
  ListMcpServersQuery,
  ListOAuthClientsQuery,
  ListOnPremAgentsQuery,
  ListPlatformAuditEntriesQuery,
  ListToolsItem,
  ListToolsQuery,
  ListToolsetToolsItem,
  ListToolsetToolsQuery,
  ListToolsetsQuery,
  ListTriggerTypesQuery,
  ListTriggersQuery,
  ListUsableAuthProvidersQuery,
  ListUsersQuery,
  ListWorkflowsQuery,
  McpServer,
  OAuthClient,
  OnPremAgent,
  OnPremAgentRelease,
  OnPremAgentToken,
  OperatedAccount,
  PromotedCanary,
  QueuedReplays,
  RedirectUri,
  ReplaceConnectionRequest,
  ReplayEventQuery,
  ReplayEventsRequest,
  RotateOnPremAgentTokenQuery,
  SendRequestQuery,
  SendRequestRequest,
  SetLicenceRequest,
  SignInStart,
  SigningKeyRotation,
  StoredFile,
  TestTriggerQuery,
  Tool,
  Toolset,
  Trigger,
  TriggerTestResult,
  TriggerType,
  UpdateAccountRequest,
  UpdateAuthProviderRequest,
  UpdateCanaryRequest,
  UpdateDestinationRequest,
  UpdateMcpServerRequest,
  UpdateOnPremAgentRequest,
  UpdateOperatedAccountRequest,
  UpdateToolsetRequest,
  UpdateTriggerRequest,
  UpdateUserRequest,
  UpdateWorkflowRequest,
  UpdatedOnPremAgent,
  UsableAuthProvider,
  UsageDay,
  User,
  Whoami,
  Workflow,
} from './types.ts';

/** Verify a credential. */
export class Auth {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Verify a credential.
   *
   * Returns the owner of the credential and what the owner may do.
   *
   * `GET /v1/auth/whoami`
   */
  whoami(options: RequestOptions = {}): Promise<Whoami> {
    return this.#transport.call({ method: 'GET', path: '/v1/auth/whoami' }, options);
  }

  /**
   * List auth providers.
   *
   * The account’s own OAuth clients, newest first. Secrets are never returned.
   *
   * `GET /v1/auth-providers`
   */
  listProviders(
    params: ListAuthProvidersQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<AuthProvider>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/auth-providers', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listProviders`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateProviders(
    params: ListAuthProvidersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<AuthProvider, void, undefined> {
    return iterate(params, (page) => this.listProviders(page, options));
  }

  /**
   * Create an auth provider.
   *
   * Stores the account’s own OAuth client for one method of one application, for use by many connections. An empty value is as absent. `clientId` and `clientSecret` do not exist: values are sent by slot.
   *
   * `POST /v1/auth-providers`
   */
  createProvider(params: CreateAuthProviderRequest, options: RequestOptions = {}): Promise<AuthProvider> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/auth-providers', body: 'required', params },
      options,
    );
  }

  /**
   * Get the callback address to register at a vendor.
   *
   * `GET /v1/auth-providers/redirect-uri`
   */
  getRedirectUri(params: GetRedirectUriQuery, options: RequestOptions = {}): Promise<RedirectUri> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/auth-providers/redirect-uri', query: ['applicationSlug'], params },
      options,
    );
  }

  /**
   * List what auth providers can be created for.
   *
   * The applications whose methods take auth providers, by name, with the slots of each method.
   *
   * `GET /v1/auth-providers/sources`
   */
  listProviderSources(
    params: ListAuthProviderSourcesQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<AuthProviderSource>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/auth-providers/sources', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listProviderSources`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateProviderSources(
    params: ListAuthProviderSourcesQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<AuthProviderSource, void, undefined> {
    return iterate(params, (page) => this.listProviderSources(page, options));
  }

  /**
   * List the auth providers that the caller may use.
   *
   * The enabled ones, newest first, without their values.
   *
   * `GET /v1/auth-providers/usable`
   */
  listUsableAuthProviders(
    params: ListUsableAuthProvidersQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<UsableAuthProvider>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/auth-providers/usable',
        query: ['applicationSlug', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listUsableAuthProviders`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateUsableAuthProviders(
    params: ListUsableAuthProvidersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<UsableAuthProvider, void, undefined> {
    return iterate(params, (page) => this.listUsableAuthProviders(page, options));
  }

  /**
   * Get an auth provider.
   *
   * `GET /v1/auth-providers/{id}`
   */
  getProvider(id: number, options: RequestOptions = {}): Promise<AuthProvider> {
    return this.#transport.call({ method: 'GET', path: `/v1/auth-providers/${segment(id)}` }, options);
  }

  /**
   * Change an auth provider.
   *
   * A member that is left out keeps its value; `applicationSlug` and `authenticationId` are ignored. Values and scopes are read at each use, so that a corrected secret heals every connection that is signed in through the auth provider.
   *
   * `PATCH /v1/auth-providers/{id}`
   */
  updateProvider(
    id: number,
    params: UpdateAuthProviderRequest,
    options: RequestOptions = {},
  ): Promise<AuthProvider> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/auth-providers/${segment(id)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete an auth provider.
   *
   * Refused while a connection is signed in through it; a sign-in that is not completed does not count.
   *
   * `DELETE /v1/auth-providers/{id}`
   */
  deleteProvider(id: number, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/v1/auth-providers/${segment(id)}` }, options);
  }
}

/** The catalogue of applications and how each one authenticates. */
export class Applications {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List applications.
   *
   * Ordered by name, or by relevance with a search. Without `kind`, the list includes every kind.
   *
   * `GET /v1/applications`
   */
  list(params: ListApplicationsQuery = {}, options: RequestOptions = {}): Promise<Page<ApplicationSummary>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/applications',
        query: ['kind', 'available', 'search', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListApplicationsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ApplicationSummary, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Get an application.
   *
   * Includes its authentication methods: what a connection requires.
   *
   * `GET /v1/applications/{slug}`
   */
  get(slug: string, options: RequestOptions = {}): Promise<Application> {
    return this.#transport.call({ method: 'GET', path: `/v1/applications/${segment(slug)}` }, options);
  }
}

/** The actions that applications offer: browse, execute, and read the history. */
export class Tools {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List tools.
   *
   * Ordered by name, or by relevance with a search. An unknown application returns an empty page.
   *
   * `GET /v1/tools`
   */
  list(params: ListToolsQuery = {}, options: RequestOptions = {}): Promise<Page<ListToolsItem>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/tools',
        query: ['applicationSlug', 'search', 'format', 'schemaProfile', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListToolsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ListToolsItem, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Get a tool.
   *
   * `GET /v1/tools/{toolSlug}`
   */
  get(toolSlug: string, params: GetToolQuery = {}, options: RequestOptions = {}): Promise<Tool> {
    return this.#transport.call(
      {
        method: 'GET',
        path: `/v1/tools/${segment(toolSlug)}`,
        query: ['applicationSlug', 'toolsetId', 'schemaProfile'],
        params,
      },
      options,
    );
  }

  /**
   * Execute a tool.
   *
   * Branch on `isSuccess`: a failure at the vendor is a 200 with isSuccess false and errorMessage. The connection is the named one, otherwise the toolset’s, otherwise the account’s default for the application. With `toolsetId` only tools and connections of that toolset are used. While the vendor limits the connection (429, or its own headers), calls wait within their deadline; one that cannot is a 200 with isSuccess false, `attempts` 0 and an errorMessage that says until when: nothing was sent. A call of one tool ends within 30 seconds, unless the installation says otherwise; one with `toolsetId` may run a workflow, which takes up to 5 minutes: let your client wait for 6. A run goes on when its caller leaves; the history shows how it ends.
   *
   * `POST /v1/tools/{toolSlug}/execute`
   */
  execute(
    toolSlug: string,
    params: ExecuteToolRequest & ExecuteToolQuery,
    options: RequestOptions = {},
  ): Promise<ExecutionResult> {
    return this.#transport.call(
      {
        method: 'POST',
        path: `/v1/tools/${segment(toolSlug)}/execute`,
        query: [
          'connectionId',
          'toolsetId',
          'applicationSlug',
          'endUserId',
          'schemaProfile',
          'approvalId',
          'dryRun',
        ],
        body: 'required',
        params,
      },
      options,
    );
  }

  /**
   * List executions.
   *
   * The history of the account’s tool executions, newest first. It is kept for 90 days. To read far, pass the `historyId` of the last item as `after` for the next page, until a page’s `offset` and its number of items reach `totalCount`.
   *
   * `GET /v1/executions`
   */
  listExecutions(params: ListExecutionsQuery = {}, options: RequestOptions = {}): Promise<Page<Execution>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/executions',
        query: ['toolSlug', 'connectionId', 'isSuccess', 'from', 'to', 'after', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listExecutions`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateExecutions(
    params: ListExecutionsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Execution, void, undefined> {
    return iterate(params, (page) => this.listExecutions(page, options));
  }

  /**
   * Get an execution.
   *
   * `GET /v1/executions/{historyId}`
   */
  getExecution(historyId: number, options: RequestOptions = {}): Promise<Execution> {
    return this.#transport.call({ method: 'GET', path: `/v1/executions/${segment(historyId)}` }, options);
  }
}

/** Connections and permitted tools as a group, which executions can be confined to. */
export class Toolsets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List toolsets.
   *
   * Newest first.
   *
   * `GET /v1/toolsets`
   */
  list(params: ListToolsetsQuery = {}, options: RequestOptions = {}): Promise<Page<Toolset>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/toolsets', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListToolsetsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Toolset, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Create a toolset.
   *
   * Groups connections and permitted tools. An execution with its `toolsetId` is confined to it. Duplicates in a list fold. An account has at most 1000 toolsets.
   *
   * `POST /v1/toolsets`
   */
  create(params: CreateToolsetRequest, options: RequestOptions = {}): Promise<Toolset> {
    return this.#transport.call({ method: 'POST', path: '/v1/toolsets', body: 'required', params }, options);
  }

  /**
   * Get a toolset.
   *
   * `GET /v1/toolsets/{id}`
   */
  get(id: string, options: RequestOptions = {}): Promise<Toolset> {
    return this.#transport.call({ method: 'GET', path: `/v1/toolsets/${segment(id)}` }, options);
  }

  /**
   * Change a toolset.
   *
   * A member that is left out keeps its value; a list, and the policy, replace the former one. `tools: null` lifts the list. A policy that is sent again goes on meaning the tools that its slugs meant, and means those that they name now.
   *
   * `PATCH /v1/toolsets/{id}`
   */
  update(id: string, params: UpdateToolsetRequest, options: RequestOptions = {}): Promise<Toolset> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/toolsets/${segment(id)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete a toolset.
   *
   * Its connections and workflows stay. API keys that are confined to it end.
   *
   * `DELETE /v1/toolsets/{id}`
   */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/v1/toolsets/${segment(id)}` }, options);
  }

  /**
   * List the tools of a toolset.
   *
   * The tools that the toolset permits, by name, its workflows among them. Inputs that its policy fixes are not in their inputSchema.
   *
   * `GET /v1/toolsets/{id}/tools`
   */
  listTools(
    id: string,
    params: ListToolsetToolsQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<ListToolsetToolsItem>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: `/v1/toolsets/${segment(id)}/tools`,
        query: ['format', 'schemaProfile', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listTools`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateTools(
    id: string,
    params: ListToolsetToolsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ListToolsetToolsItem, void, undefined> {
    return iterate(params, (page) => this.listTools(id, page, options));
  }

  /**
   * List approvals.
   *
   * The calls that toolsets have held back until a person approves them, newest first. They are kept for 30 days.
   *
   * `GET /v1/approvals`
   */
  listApprovals(params: ListApprovalsQuery = {}, options: RequestOptions = {}): Promise<Page<Approval>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/approvals', query: ['status', 'offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listApprovals`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateApprovals(
    params: ListApprovalsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Approval, void, undefined> {
    return iterate(params, (page) => this.listApprovals(page, options));
  }

  /**
   * Approve a call.
   *
   * The same call of the same caller then runs once with this `approvalId`, until the approval expires. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.
   *
   * `POST /v1/approvals/{approvalId}/approve`
   */
  approveCall(approvalId: string, options: RequestOptions = {}): Promise<Approval> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/approvals/${segment(approvalId)}/approve` },
      options,
    );
  }

  /**
   * Reject a call.
   *
   * The call is then 403 FORBIDDEN with this `approvalId`. An approval that is not used yet can be rejected, too. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.
   *
   * `POST /v1/approvals/{approvalId}/reject`
   */
  rejectCall(approvalId: string, options: RequestOptions = {}): Promise<Approval> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/approvals/${segment(approvalId)}/reject` },
      options,
    );
  }
}

/** Files that tools take and return, kept for seven days. */
export class Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Get a file.
   *
   * Returns what is known of the file, with a new address to download it from.
   *
   * `GET /v1/files/{fileId}`
   */
  get(fileId: string, options: RequestOptions = {}): Promise<StoredFile> {
    return this.#transport.call({ method: 'GET', path: `/v1/files/${segment(fileId)}` }, options);
  }

  /**
   * Delete a file.
   *
   * `DELETE /v1/files/{fileId}`
   */
  delete(fileId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/v1/files/${segment(fileId)}` }, options);
  }
}

/** Sequences of tool calls that run as one tool. */
export class Workflows {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List workflows.
   *
   * Newest first.
   *
   * `GET /v1/workflows`
   */
  list(params: ListWorkflowsQuery = {}, options: RequestOptions = {}): Promise<Page<Workflow>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/workflows', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListWorkflowsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Workflow, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Create a workflow.
   *
   * A sequence of tool calls that runs as one tool, under its slug, with a toolset that holds it. Expressions are parsed now: one that is not JSONata is a VALIDATION_ERROR that names it, such as `steps[0].when`. `onError: retry` (3 tries) is refused for a tool that is not idempotent. An account has at most 1000 workflows.
   *
   * `POST /v1/workflows`
   */
  create(params: CreateWorkflowRequest, options: RequestOptions = {}): Promise<Workflow> {
    return this.#transport.call({ method: 'POST', path: '/v1/workflows', body: 'required', params }, options);
  }

  /**
   * Get a workflow.
   *
   * `GET /v1/workflows/{workflowToken}`
   */
  get(workflowToken: string, options: RequestOptions = {}): Promise<Workflow> {
    return this.#transport.call({ method: 'GET', path: `/v1/workflows/${segment(workflowToken)}` }, options);
  }

  /**
   * Change a workflow.
   *
   * A member that is left out keeps its value; `steps` replaces all of them. Runs that are under way keep what they began with. Policies of toolsets that name the workflow by a former slug still hold for it; 409 CONFLICT if it already has 100 former slugs.
   *
   * `PATCH /v1/workflows/{workflowToken}`
   */
  update(
    workflowToken: string,
    params: UpdateWorkflowRequest,
    options: RequestOptions = {},
  ): Promise<Workflow> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/workflows/${segment(workflowToken)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete a workflow.
   *
   * Refused while a toolset or an MCP server holds it; `candidates` names those as `toolset:<id>` and `mcpServer:<name>`. Runs that are under way go on.
   *
   * `DELETE /v1/workflows/{workflowToken}`
   */
  delete(
    workflowToken: string,
    params: DeleteWorkflowQuery = {},
    options: RequestOptions = {},
  ): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/v1/workflows/${segment(workflowToken)}`, query: ['force'], params },
      options,
    );
  }
}

/** Endpoints that serve tools and workflows over the Model Context Protocol. */
export class McpServers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List MCP servers.
   *
   * Newest first, those that are not active among them.
   *
   * `GET /v1/mcpservers`
   */
  list(params: ListMcpServersQuery = {}, options: RequestOptions = {}): Promise<Page<McpServer>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/mcpservers', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListMcpServersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<McpServer, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Get an MCP server.
   *
   * `GET /v1/mcpservers/{mcpServerToken}`
   */
  get(mcpServerToken: string, options: RequestOptions = {}): Promise<McpServer> {
    return this.#transport.call(
      { method: 'GET', path: `/v1/mcpservers/${segment(mcpServerToken)}` },
      options,
    );
  }

  /**
   * Change an MCP server.
   *
   * A member that is left out keeps its value; a list replaces the former one. If two changes meet, the last one holds.
   *
   * `PATCH /v1/mcpservers/{mcpServerToken}`
   */
  update(
    mcpServerToken: string,
    params: UpdateMcpServerRequest,
    options: RequestOptions = {},
  ): Promise<McpServer> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/mcpservers/${segment(mcpServerToken)}`, body: 'required', params },
      options,
    );
  }
}

/** Users, API keys, OAuth clients, licences, budgets, audit log and usage of the account, for its owners and admins. A bearer token also needs the scope `administration`. */
export class Administration {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Create an MCP server.
   *
   * An active endpoint that serves the tools of the connections, and the workflows, to MCP clients. Only owners and admins may create one.
   *
   * `POST /admin/v1/mcpservers`
   */
  createMcpServer(params: CreateMcpServerRequest, options: RequestOptions = {}): Promise<McpServer> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/mcpservers', body: 'required', params },
      options,
    );
  }

  /**
   * Delete an MCP server.
   *
   * Its address is gone for good. Its connections and workflows stay. Only owners and admins may delete one.
   *
   * `DELETE /admin/v1/mcpservers/{mcpServerToken}`
   */
  deleteMcpServer(mcpServerToken: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/admin/v1/mcpservers/${segment(mcpServerToken)}` },
      options,
    );
  }

  /**
   * Replace the token of an MCP server.
   *
   * There is no overlap: the former address opens nothing any more. `oauthUrl` stays. Only owners and admins may replace it.
   *
   * `POST /admin/v1/mcpservers/{mcpServerToken}/rotate`
   */
  rotateMcpServerToken(mcpServerToken: string, options: RequestOptions = {}): Promise<McpServer> {
    return this.#transport.call(
      { method: 'POST', path: `/admin/v1/mcpservers/${segment(mcpServerToken)}/rotate` },
      options,
    );
  }

  /**
   * Accept the changed tools of an MCP server.
   *
   * All tools in `changedTools` are served as they are now. Only owners and admins may accept changes.
   *
   * `POST /admin/v1/mcpservers/{mcpServerToken}/accept-changes`
   */
  acceptChangedTools(mcpServerToken: string, options: RequestOptions = {}): Promise<McpServer> {
    return this.#transport.call(
      { method: 'POST', path: `/admin/v1/mcpservers/${segment(mcpServerToken)}/accept-changes` },
      options,
    );
  }

  /**
   * Get the account and its settings.
   *
   * Consumes no budget. An account has 10 calls a second of this path.
   *
   * `GET /admin/v1/account`
   */
  getAccount(options: RequestOptions = {}): Promise<Account> {
    return this.#transport.call({ method: 'GET', path: '/admin/v1/account' }, options);
  }

  /**
   * Change settings of the account.
   *
   * A member or budget that is left out keeps its value. Consumes no budget, so that an exhausted budget can be raised. An account has 10 calls a second of this path.
   *
   * `PATCH /admin/v1/account`
   */
  updateAccount(params: UpdateAccountRequest, options: RequestOptions = {}): Promise<Account> {
    return this.#transport.call(
      { method: 'PATCH', path: '/admin/v1/account', body: 'required', params },
      options,
    );
  }

  /**
   * List the users of the account.
   *
   * Newest first, including inactive users.
   *
   * `GET /admin/v1/users`
   */
  listUsers(params: ListUsersQuery = {}, options: RequestOptions = {}): Promise<Page<User>> {
    return this.#transport.call(
      { method: 'GET', path: '/admin/v1/users', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listUsers`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateUsers(
    params: ListUsersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<User, void, undefined> {
    return iterate(params, (page) => this.listUsers(page, options));
  }

  /**
   * Create a user of the account.
   *
   * A user belongs to this account only: a person who works in several accounts has a user with a password in each. Only an owner may create an owner.
   *
   * `POST /admin/v1/users`
   */
  createUser(params: CreateUserRequest, options: RequestOptions = {}): Promise<User> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/users', body: 'required', params },
      options,
    );
  }

  /**
   * Change a user of the account.
   *
   * A member that is left out keeps its value. Only an owner may change an owner or make a user one; the last active owner can be neither demoted nor deactivated. A new password ends every sign-in of the user, including one that this call was made with.
   *
   * `PATCH /admin/v1/users/{userId}`
   */
  updateUser(userId: string, params: UpdateUserRequest, options: RequestOptions = {}): Promise<User> {
    return this.#transport.call(
      { method: 'PATCH', path: `/admin/v1/users/${segment(userId)}`, body: 'required', params },
      options,
    );
  }

  /**
   * List the API keys of the account.
   *
   * Keys of every user, newest first; includes expired keys but not revoked ones.
   *
   * `GET /admin/v1/api-keys`
   */
  listApiKeys(params: ListApiKeysQuery = {}, options: RequestOptions = {}): Promise<Page<ApiKey>> {
    return this.#transport.call(
      { method: 'GET', path: '/admin/v1/api-keys', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listApiKeys`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateApiKeys(
    params: ListApiKeysQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ApiKey, void, undefined> {
    return iterate(params, (page) => this.listApiKeys(page, options));
  }

  /**
   * Create an API key.
   *
   * `apiKey` is returned only here. The key acts as its user; only an owner may create a key for an owner. A key with `scopes` or `toolsetId` does not administer the account.
   *
   * `POST /admin/v1/api-keys`
   */
  createApiKey(params: CreateApiKeyRequest, options: RequestOptions = {}): Promise<CreatedApiKey> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/api-keys', body: 'required', params },
      options,
    );
  }

  /**
   * Revoke an API key.
   *
   * The key is refused permanently within two seconds. Only an owner may revoke an owner’s key.
   *
   * `DELETE /admin/v1/api-keys/{id}`
   */
  revokeApiKey(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/admin/v1/api-keys/${segment(id)}` }, options);
  }

  /**
   * List the OAuth clients of the account.
   *
   * Newest first. Clients that registered themselves belong to no account and are not listed.
   *
   * `GET /admin/v1/oauth-clients`
   */
  listOAuthClients(
    params: ListOAuthClientsQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<OAuthClient>> {
    return this.#transport.call(
      { method: 'GET', path: '/admin/v1/oauth-clients', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listOAuthClients`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateOAuthClients(
    params: ListOAuthClientsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<OAuthClient, void, undefined> {
    return iterate(params, (page) => this.listOAuthClients(page, options));
  }

  /**
   * Create an OAuth client.
   *
   * Creates a confidential client of the account; `clientSecret` is returned only here. Only an owner may create one that acts as an owner.
   *
   * `POST /admin/v1/oauth-clients`
   */
  createOAuthClient(
    params: CreateOAuthClientRequest,
    options: RequestOptions = {},
  ): Promise<CreatedOAuthClient> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/oauth-clients', body: 'required', params },
      options,
    );
  }

  /**
   * Delete an OAuth client.
   *
   * All its tokens are refused within two seconds. Only an owner may delete a client that acts as an owner.
   *
   * `DELETE /admin/v1/oauth-clients/{clientId}`
   */
  deleteOAuthClient(clientId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/admin/v1/oauth-clients/${segment(clientId)}` },
      options,
    );
  }

  /**
   * List connections of every kind.
   *
   * Newest first.
   *
   * `GET /admin/v1/connections`
   */
  listAllConnections(
    params: ListAllConnectionsQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<Connection>> {
    return this.#transport.call(
      { method: 'GET', path: '/admin/v1/connections', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listAllConnections`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateAllConnections(
    params: ListAllConnectionsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Connection, void, undefined> {
    return iterate(params, (page) => this.listAllConnections(page, options));
  }

  /**
   * Set the licence of a connection.
   *
   * Without an active licence a connection is Blocked and runs no tool.
   *
   * `PUT /admin/v1/connections/{connectionId}/licence`
   */
  setLicence(
    connectionId: number,
    params: SetLicenceRequest,
    options: RequestOptions = {},
  ): Promise<Connection> {
    return this.#transport.call(
      {
        method: 'PUT',
        path: `/admin/v1/connections/${segment(connectionId)}/licence`,
        body: 'required',
        params,
      },
      options,
    );
  }

  /**
   * Delete an application of the account.
   *
   * CONFLICT while connections of it exist: `candidates` names their ids.
   *
   * `DELETE /admin/v1/applications/{slug}`
   */
  deleteOwnApplication(slug: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/admin/v1/applications/${segment(slug)}` },
      options,
    );
  }

  /**
   * Get an application of the account.
   *
   * One that was imported, or that a connection to an MCP server made.
   *
   * `GET /admin/v1/applications/{slug}`
   */
  getOwnApplication(slug: string, options: RequestOptions = {}): Promise<Application> {
    return this.#transport.call({ method: 'GET', path: `/admin/v1/applications/${segment(slug)}` }, options);
  }

  /**
   * Import an application.
   *
   * Makes an application of the account of an OpenAPI document, of a manifest, of an MCP server or of a package that the operator allows. The tools of a document have its texts, and their calls go to its server with the credential of a connection. A slug that is taken is CONFLICT.
   *
   * `POST /admin/v1/applications/import`
   */
  importApplication(
    params: ImportApplicationRequest,
    options: RequestOptions = {},
  ): Promise<ImportedApplication> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/applications/import', body: 'required', params },
      options,
    );
  }

  /**
   * Import a connection from another platform.
   *
   * Takes the tokens of a sign-in that was made elsewhere through the same OAuth client: the named auth provider, otherwise the account’s default one, otherwise the connector’s own. The vendor is asked only for the choices of the method’s fields, of which the first is taken; if it does not answer, there are none, and a new sign-in finds them. Only for methods that use an OAuth sign-in.
   *
   * `POST /admin/v1/connections/import`
   */
  importConnection(params: ImportConnectionRequest, options: RequestOptions = {}): Promise<Connection> {
    return this.#transport.call(
      { method: 'POST', path: '/admin/v1/connections/import', body: 'required', params },
      options,
    );
  }

  /**
   * List audit entries.
   *
   * Who did what to which record, newest first: every call that changed something or showed a secret, including the operator’s calls. Calls that run tools are in the execution history instead. Entries are kept for 400 days, or as long as the installation is configured to.
   *
   * `GET /admin/v1/audit`
   */
  listAuditEntries(
    params: ListAuditEntriesQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<AuditEntry>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/admin/v1/audit',
        query: ['from', 'to', 'actor', 'action', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listAuditEntries`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateAuditEntries(
    params: ListAuditEntriesQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<AuditEntry, void, undefined> {
    return iterate(params, (page) => this.listAuditEntries(page, options));
  }

  /**
   * Get usage by day.
   *
   * Returns each of the last 30 UTC days, or each UTC day that begins between `from` and `to`, newest first. Usage is kept for 90 days. Calls appear within seconds.
   *
   * `GET /admin/v1/usage`
   */
  getUsage(params: GetUsageQuery = {}, options: RequestOptions = {}): Promise<Page<UsageDay>> {
    return this.#transport.call(
      { method: 'GET', path: '/admin/v1/usage', query: ['from', 'to', 'offset', 'top'], params },
      options,
    );
  }

  /** Every record of `getUsage`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateUsage(
    params: GetUsageQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<UsageDay, void, undefined> {
    return iterate(params, (page) => this.getUsage(page, options));
  }
}

/** Programs in your own networks that run tools there. */
export class OnPremAgents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List on-prem agents.
   *
   * Newest first.
   *
   * `GET /v1/on-prem-agents`
   */
  list(params: ListOnPremAgentsQuery = {}, options: RequestOptions = {}): Promise<Page<OnPremAgent>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/on-prem-agents', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListOnPremAgentsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<OnPremAgent, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Create an on-prem agent.
   *
   * Start the agent with the token in the network that it is for. The first agent of an application is its default connection.
   *
   * `POST /v1/on-prem-agents`
   */
  create(params: CreateOnPremAgentRequest, options: RequestOptions = {}): Promise<CreatedOnPremAgent> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/on-prem-agents', body: 'required', params },
      options,
    );
  }

  /**
   * Find the installer of the on-prem agent.
   *
   * Needs no credential.
   *
   * `GET /v1/on-prem-agents/releases/latest`
   */
  getLatestAgentRelease(
    params: GetLatestAgentReleaseQuery = {},
    options: RequestOptions = {},
  ): Promise<OnPremAgentRelease> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/on-prem-agents/releases/latest', query: ['platform'], params },
      options,
    );
  }

  /**
   * Get an on-prem agent.
   *
   * `GET /v1/on-prem-agents/{id}`
   */
  get(id: number, options: RequestOptions = {}): Promise<OnPremAgent> {
    return this.#transport.call({ method: 'GET', path: `/v1/on-prem-agents/${segment(id)}` }, options);
  }

  /**
   * Change the settings of an on-prem agent.
   *
   * A setting that is left out keeps its value; null takes the default again. The change is stored first, then handed to the agent if it is online.
   *
   * `PATCH /v1/on-prem-agents/{id}`
   */
  update(
    id: number,
    params: UpdateOnPremAgentRequest,
    options: RequestOptions = {},
  ): Promise<UpdatedOnPremAgent> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/on-prem-agents/${segment(id)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete an on-prem agent.
   *
   * Its token is worth nothing at once. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names the uses.
   *
   * `DELETE /v1/on-prem-agents/{id}`
   */
  delete(id: number, params: DeleteOnPremAgentQuery = {}, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/v1/on-prem-agents/${segment(id)}`, query: ['force'], params },
      options,
    );
  }

  /**
   * Read the token of an on-prem agent.
   *
   * Recorded in the audit log before it is read.
   *
   * `GET /v1/on-prem-agents/{id}/token`
   */
  getToken(id: number, options: RequestOptions = {}): Promise<OnPremAgentToken> {
    return this.#transport.call({ method: 'GET', path: `/v1/on-prem-agents/${segment(id)}/token` }, options);
  }

  /**
   * Replace the token of an on-prem agent.
   *
   * The former token is worth nothing at once, and the agent is offline until it is started with the new one. Recorded in the audit log before it is replaced.
   *
   * `POST /v1/on-prem-agents/{id}/token`
   */
  rotateToken(
    id: number,
    params: RotateOnPremAgentTokenQuery,
    options: RequestOptions = {},
  ): Promise<OnPremAgentToken> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/on-prem-agents/${segment(id)}/token`, query: ['confirm'], params },
      options,
    );
  }
}

/** Events when something changes in a connected application, at certain times, or when somebody calls. */
export class Triggers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List trigger types.
   *
   * The events that triggers may fire on. Ordered by name, or by relevance with a search. An unknown application returns an empty page.
   *
   * `GET /v1/triggers/types`
   */
  listTypes(params: ListTriggerTypesQuery = {}, options: RequestOptions = {}): Promise<Page<TriggerType>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/triggers/types',
        query: ['applicationSlug', 'search', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listTypes`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateTypes(
    params: ListTriggerTypesQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<TriggerType, void, undefined> {
    return iterate(params, (page) => this.listTypes(page, options));
  }

  /**
   * List destinations.
   *
   * Newest first.
   *
   * `GET /v1/triggers/destinations`
   */
  listDestinations(
    params: ListDestinationsQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<Destination>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/triggers/destinations', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listDestinations`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateDestinations(
    params: ListDestinationsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Destination, void, undefined> {
    return iterate(params, (page) => this.listDestinations(page, options));
  }

  /**
   * Create a destination.
   *
   * An address that triggers deliver their events to. `signingSecret` is returned only here and when it is rotated; each request is signed with it.
   *
   * `POST /v1/triggers/destinations`
   */
  createDestination(
    params: CreateDestinationRequest,
    options: RequestOptions = {},
  ): Promise<IssuedDestination> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/triggers/destinations', body: 'required', params },
      options,
    );
  }

  /**
   * Get a destination.
   *
   * `GET /v1/triggers/destinations/{id}`
   */
  getDestination(id: string, options: RequestOptions = {}): Promise<Destination> {
    return this.#transport.call({ method: 'GET', path: `/v1/triggers/destinations/${segment(id)}` }, options);
  }

  /**
   * Change a destination.
   *
   * A member that is left out keeps its value. Disabling it holds its deliveries: events are still captured. Enabling it delivers the events of the last 24 hours by itself; older and dead-lettered ones need a replay.
   *
   * `PATCH /v1/triggers/destinations/{id}`
   */
  updateDestination(
    id: string,
    params: UpdateDestinationRequest,
    options: RequestOptions = {},
  ): Promise<Destination> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/triggers/destinations/${segment(id)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete a destination.
   *
   * Its open deliveries end, and triggers that name it lose it. Attempts that were made stay visible.
   *
   * `DELETE /v1/triggers/destinations/{id}`
   */
  deleteDestination(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/v1/triggers/destinations/${segment(id)}` },
      options,
    );
  }

  /**
   * Replace the signing secret of a destination.
   *
   * There is no overlap: once this has answered, no request begins that is signed with the former secret, retries of earlier events included.
   *
   * `POST /v1/triggers/destinations/{id}/rotate-secret`
   */
  rotateDestinationSecret(id: string, options: RequestOptions = {}): Promise<IssuedDestination> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/triggers/destinations/${segment(id)}/rotate-secret` },
      options,
    );
  }

  /**
   * List triggers.
   *
   * Newest first.
   *
   * `GET /v1/triggers`
   */
  list(params: ListTriggersQuery = {}, options: RequestOptions = {}): Promise<Page<Trigger>> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/triggers', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListTriggersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Trigger, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Create a trigger.
   *
   * Each firing becomes an event, which is delivered to the destinations. A type that needs a connection answers EMPTY_QUERY without one. Checked in this order: the type, the connection, the destinations, then `configuration` and `filter`. An account has at most 1000 triggers. Creating one that is enabled may call the application, to see where a poll begins or to register an address: if it refuses, the answer is VALIDATION_ERROR on `connectionId` with its words.
   *
   * `POST /v1/triggers`
   */
  create(params: CreateTriggerRequest, options: RequestOptions = {}): Promise<Trigger> {
    return this.#transport.call({ method: 'POST', path: '/v1/triggers', body: 'required', params }, options);
  }

  /**
   * Get a trigger.
   *
   * `GET /v1/triggers/{triggerId}`
   */
  get(triggerId: string, options: RequestOptions = {}): Promise<Trigger> {
    return this.#transport.call({ method: 'GET', path: `/v1/triggers/${segment(triggerId)}` }, options);
  }

  /**
   * Change a trigger.
   *
   * A member that is left out keeps its value; `configuration` and `destinationIds` are replaced whole. `connectionId` may change within the application; `triggerTypeSlug` may not change. A trigger that is enabled, or gets another configuration or connection, starts anew: nothing that happened before fires. A refusal of its application is answered as at creation.
   *
   * `PATCH /v1/triggers/{triggerId}`
   */
  update(triggerId: string, params: UpdateTriggerRequest, options: RequestOptions = {}): Promise<Trigger> {
    return this.#transport.call(
      { method: 'PATCH', path: `/v1/triggers/${segment(triggerId)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete a trigger.
   *
   * Its events stay for their 30 days, and their deliveries go on.
   *
   * `DELETE /v1/triggers/{triggerId}`
   */
  delete(triggerId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/v1/triggers/${segment(triggerId)}` }, options);
  }

  /**
   * Test a trigger.
   *
   * Sends a synthetic event with the payload `{"test": true}`, signed with the destination’s real secret, to the first of the trigger’s destinations, enabled or not, and returns the result of this one attempt. Nothing is stored. A call that sends uses the budget `triggerTestPerMinute`.
   *
   * `POST /v1/triggers/{triggerId}/test`
   */
  test(
    triggerId: string,
    params: TestTriggerQuery = {},
    options: RequestOptions = {},
  ): Promise<TriggerTestResult> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/triggers/${segment(triggerId)}/test`, query: ['destinationId'], params },
      options,
    );
  }

  /**
   * List events.
   *
   * The events of the account’s triggers, the latest captured first, also of triggers that were deleted. They are kept for 30 days. To read far, pass the `id` of the last item as `after` for the next page, until a page’s `offset` and its number of items reach `totalCount`. Large pages are streamed: a response that ends early is not valid JSON.
   *
   * `GET /v1/triggers/events`
   */
  listEvents(params: ListEventsQuery = {}, options: RequestOptions = {}): Promise<Page<Event>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/triggers/events',
        query: ['triggerId', 'destinationId', 'delivery', 'from', 'to', 'after', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listEvents`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateEvents(
    params: ListEventsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Event, void, undefined> {
    return iterate(params, (page) => this.listEvents(page, options));
  }

  /**
   * Get an event.
   *
   * With all attempts to deliver it, the pending one included.
   *
   * `GET /v1/triggers/events/{eventId}`
   */
  getEvent(eventId: string, options: RequestOptions = {}): Promise<EventDetail> {
    return this.#transport.call({ method: 'GET', path: `/v1/triggers/events/${segment(eventId)}` }, options);
  }

  /**
   * Get the body of an event.
   *
   * The exact bytes that receivers get and that are signed, on every attempt.
   *
   * `GET /v1/triggers/events/{eventId}/body`
   */
  getEventBody(eventId: string, options: RequestOptions = {}): Promise<EventBody> {
    return this.#transport.call(
      { method: 'GET', path: `/v1/triggers/events/${segment(eventId)}/body` },
      options,
    );
  }

  /** The response of `getEventBody` as a stream of JSON text that is not held in memory; `timeoutMs` only limits the wait for its beginning. */
  getEventBodyStream(eventId: string, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(
      { method: 'GET', path: `/v1/triggers/events/${segment(eventId)}/body` },
      options,
    );
  }

  /**
   * Replay an event.
   *
   * Queues one more attempt, due now, at each destination of the event; if it has none, at those that its trigger has now. A retry that is scheduled becomes due now, and its step is not used up; an attempt that is under way is followed by one more. While a replay is queued, another one is the same attempt; with the destination disabled it waits. CONFLICT once the event has had 1 000 attempts at a destination.
   *
   * `POST /v1/triggers/events/{eventId}/replay`
   */
  replayEvent(
    eventId: string,
    params: ReplayEventQuery = {},
    options: RequestOptions = {},
  ): Promise<EventDetail> {
    return this.#transport.call(
      {
        method: 'POST',
        path: `/v1/triggers/events/${segment(eventId)}/replay`,
        query: ['destinationId'],
        params,
      },
      options,
    );
  }

  /**
   * Replay many events.
   *
   * Replays the matching events, in the background and once each: the oldest ones, at most 10 000. Events without a destination that exists are left out. CONFLICT while that many of earlier requests are still to be replayed.
   *
   * `POST /v1/triggers/events/replay`
   */
  replayEvents(params: ReplayEventsRequest, options: RequestOptions = {}): Promise<QueuedReplays> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/triggers/events/replay', body: 'required', params },
      options,
    );
  }
}

/** The account’s access to applications, by credentials or by an OAuth sign-in. */
export class Connections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List connections.
   *
   * Newest first. Connections of kind MCPClient are left out: kind=MCPClient returns an empty page.
   *
   * `GET /v1/connections`
   */
  list(params: ListConnectionsQuery = {}, options: RequestOptions = {}): Promise<Page<Connection>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/v1/connections',
        query: ['kind', 'applicationSlug', 'status', 'endUserId', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `list`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterate(
    params: ListConnectionsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Connection, void, undefined> {
    return iterate(params, (page) => this.list(page, options));
  }

  /**
   * Create a connection.
   *
   * Takes credentials in `fields`, or the `oauthState` of a completed sign-in if the method requires one. The first connection of an application becomes its default. The auth provider in the query is used by client-credentials methods only.
   *
   * `POST /v1/connections`
   */
  create(
    params: CreateConnectionRequest & CreateConnectionQuery,
    options: RequestOptions = {},
  ): Promise<Connection> {
    return this.#transport.call(
      {
        method: 'POST',
        path: '/v1/connections',
        query: ['authProviderId', 'authProvider', 'test'],
        body: 'required',
        params,
      },
      options,
    );
  }

  /**
   * Get a connection.
   *
   * On-prem agents and connections of kind MCPClient are NOT_FOUND here.
   *
   * `GET /v1/connections/{connectionId}`
   */
  get(connectionId: number, options: RequestOptions = {}): Promise<Connection> {
    return this.#transport.call({ method: 'GET', path: `/v1/connections/${segment(connectionId)}` }, options);
  }

  /**
   * Replace a connection.
   *
   * Replaces the connection and does not merge: an absent description or metadata is cleared. The id does not change.
   *
   * `PUT /v1/connections/{connectionId}`
   */
  replace(
    connectionId: number,
    params: ReplaceConnectionRequest,
    options: RequestOptions = {},
  ): Promise<Connection> {
    return this.#transport.call(
      { method: 'PUT', path: `/v1/connections/${segment(connectionId)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Delete a connection.
   *
   * Its credentials are deleted with it. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names the uses. Registrations of its triggers at the application are removed there first; an application that is away is waited for, for some seconds.
   *
   * `DELETE /v1/connections/{connectionId}`
   */
  delete(
    connectionId: number,
    params: DeleteConnectionQuery = {},
    options: RequestOptions = {},
  ): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/v1/connections/${segment(connectionId)}`, query: ['force'], params },
      options,
    );
  }

  /**
   * Make a connection the default.
   *
   * Makes it the default of its application in place of the previous one.
   *
   * `PUT /v1/connections/{connectionId}/default`
   */
  setDefault(connectionId: number, options: RequestOptions = {}): Promise<Connection> {
    return this.#transport.call(
      { method: 'PUT', path: `/v1/connections/${segment(connectionId)}/default` },
      options,
    );
  }

  /**
   * Test a connection.
   *
   * Calls the vendor with the connection’s credential and returns the result.
   *
   * `POST /v1/connections/{connectionId}/test`
   */
  test(connectionId: number, options: RequestOptions = {}): Promise<ConnectionTestResult> {
    return this.#transport.call(
      { method: 'POST', path: `/v1/connections/${segment(connectionId)}/test` },
      options,
    );
  }

  /**
   * Send a request to the application’s API.
   *
   * Calls the vendor’s API with the connection’s credential, only below the application’s own base URL. The result is that of a tool execution, with the tool slug `<applicationSlug>-request`, and recorded as one: `output` holds status, headers and body of the response, a redirect included, which is never followed. A status of 400 or more is isSuccess false.
   *
   * `POST /v1/connections/{connectionId}/request`
   */
  sendRequest(
    connectionId: number,
    params: SendRequestRequest & SendRequestQuery,
    options: RequestOptions = {},
  ): Promise<ExecutionResult> {
    return this.#transport.call(
      {
        method: 'POST',
        path: `/v1/connections/${segment(connectionId)}/request`,
        query: ['dryRun'],
        body: 'required',
        params,
      },
      options,
    );
  }

  /**
   * Start an OAuth sign-in.
   *
   * Returns the address at which the person signs in, and the state to poll. The address shows a page that names the account, the user, the application and the scopes; its button leads to the vendor. The sign-in is valid for 300 seconds.
   *
   * `POST /v1/connections/get-sign-in-url`
   */
  getSignInUrl(params: GetSignInUrlRequest, options: RequestOptions = {}): Promise<SignInStart> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/connections/get-sign-in-url', body: 'required', params },
      options,
    );
  }

  /**
   * Poll an OAuth sign-in.
   *
   * Returns `null` while the sign-in is pending. No response contains a token.
   *
   * `GET /v1/connections/access-token/{state}`
   */
  pollSignIn(state: string, options: RequestOptions = {}): Promise<CompletedSignIn | null> {
    return this.#transport.call(
      { method: 'GET', path: `/v1/connections/access-token/${segment(state)}` },
      options,
    );
  }
}

/** Connections of the customers of your product: sessions in which they connect, and what is theirs. */
export class EndUsers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Open a connect session for an end user.
   *
   * Returns the address of a hosted page on which one of your customers connects applications without your credential, and a token with which scripts of your site read the status of the session: `GET /connect/status`, with the token as bearer, answers as `GET /v1/connect-sessions/{sessionId}` does. Applications of kind MCPClient and OPA cannot be connected. Applications with an OAuth sign-in use the OAuth client that the caller would use.
   *
   * `POST /v1/connect-sessions`
   */
  createConnectSession(
    params: CreateConnectSessionRequest,
    options: RequestOptions = {},
  ): Promise<CreatedConnectSession> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/connect-sessions', body: 'required', params },
      options,
    );
  }

  /**
   * Get a connect session.
   *
   * A session can be read for seven days after it has expired.
   *
   * `GET /v1/connect-sessions/{sessionId}`
   */
  getConnectSession(sessionId: string, options: RequestOptions = {}): Promise<ConnectSession> {
    return this.#transport.call(
      { method: 'GET', path: `/v1/connect-sessions/${segment(sessionId)}` },
      options,
    );
  }

  /**
   * End a connect session.
   *
   * Nothing more can be connected in it. Connections that were made in it stay, and the session can still be read.
   *
   * `DELETE /v1/connect-sessions/{sessionId}`
   */
  endConnectSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/v1/connect-sessions/${segment(sessionId)}` },
      options,
    );
  }

  /**
   * Delete what is an end user’s.
   *
   * Deletes the connections of one of your customers, in use or not, and ends and deletes the connect sessions, and deletes the approvals that name the end user. It succeeds if there is nothing, so that a call can be repeated; after a 504, repeat it. The history of executions stays for its 90 days.
   *
   * `DELETE /v1/end-users/{endUserId}`
   */
  delete(endUserId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call({ method: 'DELETE', path: `/v1/end-users/${segment(endUserId)}` }, options);
  }
}

/** Accounts of the installation (create, change, export, erase), its audit log and its signing keys, for its operator. Takes only the operator’s key and counts against no budget. */
export class Operator {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List accounts.
   *
   * Newest first, including accounts that are being erased.
   *
   * `GET /operator/v1/accounts`
   */
  listAccounts(params: ListAccountsQuery = {}, options: RequestOptions = {}): Promise<Page<OperatedAccount>> {
    return this.#transport.call(
      { method: 'GET', path: '/operator/v1/accounts', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listAccounts`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateAccounts(
    params: ListAccountsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<OperatedAccount, void, undefined> {
    return iterate(params, (page) => this.listAccounts(page, options));
  }

  /**
   * Create an account with its owner.
   *
   * Only `name` is required. Returns the owner’s first API key, which cannot be read again.
   *
   * `POST /operator/v1/accounts`
   */
  createAccount(params: CreateAccountRequest, options: RequestOptions = {}): Promise<CreatedAccount> {
    return this.#transport.call(
      { method: 'POST', path: '/operator/v1/accounts', body: 'required', params },
      options,
    );
  }

  /**
   * Get an account.
   *
   * `GET /operator/v1/accounts/{accountId}`
   */
  getOperatedAccount(accountId: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.#transport.call(
      { method: 'GET', path: `/operator/v1/accounts/${segment(accountId)}` },
      options,
    );
  }

  /**
   * Change settings of an account.
   *
   * A member or budget that is left out keeps its value. Changes apply on every replica within two seconds.
   *
   * `PATCH /operator/v1/accounts/{accountId}`
   */
  updateOperatedAccount(
    accountId: string,
    params: UpdateOperatedAccountRequest,
    options: RequestOptions = {},
  ): Promise<OperatedAccount> {
    return this.#transport.call(
      { method: 'PATCH', path: `/operator/v1/accounts/${segment(accountId)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Erase an account and all of its data.
   *
   * Responds when all data is erased. The account’s credentials are refused from the start. If the erasure fails half-way (503, 504), the account stays closed and the rest is erased as soon as possible; repeat the call to retry at once. Data that a call in progress writes afterwards is erased within minutes.
   *
   * `DELETE /operator/v1/accounts/{accountId}`
   */
  deleteAccount(accountId: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call(
      { method: 'DELETE', path: `/operator/v1/accounts/${segment(accountId)}` },
      options,
    );
  }

  /**
   * Export all data of an account.
   *
   * Returns everything stored about the account, except secrets, as one JSON object that is streamed: a response that ends early is not valid JSON. Kinds of records may be added.
   *
   * `GET /operator/v1/accounts/{accountId}/export`
   */
  exportAccount(accountId: string, options: RequestOptions = {}): Promise<AccountExport> {
    return this.#transport.call(
      { method: 'GET', path: `/operator/v1/accounts/${segment(accountId)}/export` },
      options,
    );
  }

  /** The response of `exportAccount` as a stream of JSON text that is not held in memory; `timeoutMs` only limits the wait for its beginning. */
  exportAccountStream(accountId: string, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(
      { method: 'GET', path: `/operator/v1/accounts/${segment(accountId)}/export` },
      options,
    );
  }

  /**
   * Verify that the audit log of an account is unaltered.
   *
   * Compares every stored entry with the keyed chain and returns the first entry from which on the log does not hold. Who lacks the keys can change, insert or remove no chained entry unnoticed; removing all entries after a time is noticed only by the hashes in the gateway’s log.
   *
   * `GET /operator/v1/accounts/{accountId}/audit/verify`
   */
  verifyAuditLog(accountId: string, options: RequestOptions = {}): Promise<AuditReport> {
    return this.#transport.call(
      { method: 'GET', path: `/operator/v1/accounts/${segment(accountId)}/audit/verify` },
      options,
    );
  }

  /**
   * List audit entries of the operator and the platform.
   *
   * Newest first. The entries outlive the accounts that they concern.
   *
   * `GET /operator/v1/audit`
   */
  listPlatformAuditEntries(
    params: ListPlatformAuditEntriesQuery = {},
    options: RequestOptions = {},
  ): Promise<Page<AuditEntry>> {
    return this.#transport.call(
      {
        method: 'GET',
        path: '/operator/v1/audit',
        query: ['from', 'to', 'actor', 'action', 'offset', 'top'],
        params,
      },
      options,
    );
  }

  /** Every record of `listPlatformAuditEntries`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iteratePlatformAuditEntries(
    params: ListPlatformAuditEntriesQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<AuditEntry, void, undefined> {
    return iterate(params, (page) => this.listPlatformAuditEntries(page, options));
  }

  /**
   * Verify that the platform’s own audit log is unaltered.
   *
   * `GET /operator/v1/audit/verify`
   */
  verifyPlatformAuditLog(options: RequestOptions = {}): Promise<AuditReport> {
    return this.#transport.call({ method: 'GET', path: '/operator/v1/audit/verify' }, options);
  }

  /**
   * Create the next key that signs access tokens.
   *
   * The key is published at once and starts to sign ten minutes later; tokens that the old key signed stay valid until they expire. Keys also rotate by age. While a next key is waiting, this returns that key.
   *
   * `POST /operator/v1/signing-keys/rotate`
   */
  rotateSigningKey(options: RequestOptions = {}): Promise<SigningKeyRotation> {
    return this.#transport.call({ method: 'POST', path: '/operator/v1/signing-keys/rotate' }, options);
  }

  /**
   * List canaries.
   *
   * One for each service that has a canary, with the weights that the processes obey.
   *
   * `GET /operator/v1/canaries`
   */
  listCanaries(params: ListCanariesQuery = {}, options: RequestOptions = {}): Promise<Page<Canary>> {
    return this.#transport.call(
      { method: 'GET', path: '/operator/v1/canaries', query: ['offset', 'top'], params },
      options,
    );
  }

  /** Every record of `listCanaries`; pages are fetched as needed, from `offset` on, `top` records at a time. */
  iterateCanaries(
    params: ListCanariesQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Canary, void, undefined> {
    return iterate(params, (page) => this.listCanaries(page, options));
  }

  /**
   * Change the weight of a canary.
   *
   * Ends an abort. Returns when every process obeys, after at most half a minute. New values of the canary in the chart replace the change; with mode `route`, the next change of the route does.
   *
   * `PATCH /operator/v1/canaries/{service}`
   */
  updateCanary(
    service: string,
    params: UpdateCanaryRequest,
    options: RequestOptions = {},
  ): Promise<ChangedCanary> {
    return this.#transport.call(
      { method: 'PATCH', path: `/operator/v1/canaries/${segment(service)}`, body: 'required', params },
      options,
    );
  }

  /**
   * Abort a canary.
   *
   * Sends all calls to stable, also those of pinned accounts and with `x-canary-<service>`, until a weight is set. With mode `route`, also until the weight of the route was 0. Returns when every process obeys, after at most half a minute.
   *
   * `POST /operator/v1/canaries/{service}/abort`
   */
  abortCanary(
    service: string,
    params: AbortCanaryQuery = {},
    options: RequestOptions = {},
  ): Promise<ChangedCanary> {
    return this.#transport.call(
      { method: 'POST', path: `/operator/v1/canaries/${segment(service)}/abort`, query: ['by'], params },
      options,
    );
  }

  /**
   * Promote a canary.
   *
   * Sends the calls of all accounts to the canary, and returns the values of the chart that make its release the stable one. Returns when every process obeys, after at most half a minute.
   *
   * `POST /operator/v1/canaries/{service}/promote`
   */
  promoteCanary(service: string, options: RequestOptions = {}): Promise<PromotedCanary> {
    return this.#transport.call(
      { method: 'POST', path: `/operator/v1/canaries/${segment(service)}/promote` },
      options,
    );
  }
}

/** The resources of the API. */
export class Resources {
  readonly auth: Auth;
  readonly applications: Applications;
  readonly tools: Tools;
  readonly toolsets: Toolsets;
  readonly files: Files;
  readonly workflows: Workflows;
  readonly mcpServers: McpServers;
  readonly administration: Administration;
  readonly onPremAgents: OnPremAgents;
  readonly triggers: Triggers;
  readonly connections: Connections;
  readonly endUsers: EndUsers;
  readonly operator: Operator;

  constructor(transport: Transport) {
    this.auth = new Auth(transport);
    this.applications = new Applications(transport);
    this.tools = new Tools(transport);
    this.toolsets = new Toolsets(transport);
    this.files = new Files(transport);
    this.workflows = new Workflows(transport);
    this.mcpServers = new McpServers(transport);
    this.administration = new Administration(transport);
    this.onPremAgents = new OnPremAgents(transport);
    this.triggers = new Triggers(transport);
    this.connections = new Connections(transport);
    this.endUsers = new EndUsers(transport);
    this.operator = new Operator(transport);
  }
}
