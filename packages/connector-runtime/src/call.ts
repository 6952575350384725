import type {
  AuthenticationMethod,
  ConnectorHead,
  FilterOperator,
  Json,
  JsonObject,
  SortDirection,
  ToolDefinition,
  ToolExecution,
} from '@fairlead/connector-model/model';
import type { LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { CallingClient } from './mcp/calling-client.ts';
import type { McpRequestTool } from './mcp/mcp-request.ts';
import type { UnbuiltOutput } from './outputs/unbuilt-output.ts';
import type { TriggerTool } from './triggers/trigger-tool.ts';

/** The part of a connection that a call needs: its field values, and an access token if the method is OAuth 2. */
export interface Credential {
  /** Grows with every change; names the credential when the caller reports it as refused. */
  readonly version: number;
  /** Values by field name, secret ones included. */
  readonly fields: JsonObject;
  readonly accessToken?: string;
  /** Every secret value of the connection, the access token among them; none may appear in an error text. */
  readonly secrets: readonly string[];
  /** Changes when a person replaces the credential, or where it leads; not with a renewal. Absent: not known. */
  readonly revision?: string;
  /** The scopes that the vendor granted. Absent: the method has none, or they are not known. */
  readonly grantedScopes?: readonly string[];
}

/** One condition; all conditions of a call must hold. */
export interface FilterCondition {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly value: Json;
}

/** One sort clause; the first one is the major order. */
export interface SortClause {
  readonly field: string;
  readonly direction: SortDirection;
}

/** A tool of the catalogue, or a request of the caller's own to the application's API (http/passthrough.ts). */
export interface CallableTool extends Omit<ToolDefinition, 'execution'> {
  readonly execution: ToolExecution | { readonly type: 'passthrough' };
}

/** One execution of one tool. `fields` has been validated against the tool's input schema; large members are not parsed. */
export interface ToolCall {
  readonly connector: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly tool: CallableTool;
  readonly credential: Credential;
  readonly fields: LazyObject;
  readonly filters: readonly FilterCondition[];
  readonly sorts: readonly SortClause[];
  /** 1 to 100; absent: 100 if the tool supports paging. */
  readonly top?: number | undefined;
  /** Absent: 0. */
  readonly offset?: number | undefined;
}

/** A call of a tool, one for a trigger, whose `fields` are its configuration, or another request to an MCP server. */
export interface VendorCall extends Omit<ToolCall, 'tool'> {
  readonly tool: CallableTool | TriggerTool | McpRequestTool;
}

/** For whom a call is made, how long it may take, and the caller's own cancellation. */
export interface CallOptions {
  /** Untrusted work is shared out per account. */
  readonly accountId: string;
  /** The connection whose sessions with the vendor's server the call may use; undefined: it opens and ends one of its own. */
  readonly connectionId?: number;
  /** The request that makes the call, for the service of on-prem agents: its id, and the services whose canary serves it. */
  readonly origin?: { readonly requestId: string; readonly canaries: readonly string[] | undefined };
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How long the call may wait for answers of its client, besides that. Default: not at all. */
  readonly answerMs?: number | undefined;
  /** Told for how long the vendor takes no further call of the credential, as soon as it says so. */
  readonly onLimited?: (forMs: number) => void;
  /**
   * Called before a handler sends the request that acts, which is not sent if this rejects: once a new session is open, and if more
   * than 100 ms have passed since the call began or was asked about. Requests of HTTP do not call it.
   */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** A large output is returned unbuilt. Default: every output is built. */
  readonly takesUnbuilt?: boolean;
  /** The MCP client that an MCP server may address while it works on the call. Default: it can address nobody. */
  readonly client?: CallingClient | undefined;
  /** The output of an MCP server's tool is the result as the server sent it. Default: its structured content, else its content. */
  readonly takesMcpResult?: boolean | undefined;
  /** Largest output, as JSON in UTF-8. One above MAX_OUTPUT_BYTES is returned unbuilt. Default: MAX_OUTPUT_BYTES. */
  readonly maxOutputBytes?: number | undefined;
}

/** An input that caused a refusal; `field` is its path as the caller sends it, such as `filters[0].field`. */
export interface InputIssue {
  readonly field: string;
  readonly issue: string;
}

/**
 * The outcome of a call. `attempts` counts the first try and the automatic retries. `isUnauthorized`: the vendor
 * refused the credential itself, so a fresh access token may help. `inputIssues`, at least one: the inputs were refused
 * before anything was executed, because of something only the vendor knows. `isOverloaded`: nothing was executed,
 * because too many other calls are running. `isWithdrawn`: nothing was executed, because `beforeSend` rejected. `unbuilt`: a large output, if
 * CallOptions.takesUnbuilt; to read `output` builds it in place, and throws CallFailure above a limit. `isToolUnknown`: the MCP server does not have the tool any more.
 * `missingScopes`, at least one: scopes that the tool needs and the connection was not granted; the vendor may have refused the call
 * because of them. `mcpResult`: the result of the MCP server that is this failure, if CallOptions.takesMcpResult;
 * `mcpError`: its JSON-RPC error that is for the client. Neither is masked.
 */
export type ToolOutcome =
  | {
      readonly isSuccess: true;
      readonly output: JsonObject;
      readonly unbuilt?: UnbuiltOutput;
      readonly attempts: number;
    }
  | {
      readonly isSuccess: false;
      readonly errorMessage: string;
      readonly attempts: number;
      readonly isUnauthorized: boolean;
      readonly inputIssues?: readonly InputIssue[];
      readonly isOverloaded?: true;
      readonly isWithdrawn?: true;
      readonly isToolUnknown?: true;
      readonly missingScopes?: readonly string[];
      readonly mcpResult?: JsonObject;
      readonly mcpError?: JsonObject;
    };

/** Whether a credential works; `errorMessage` is for people and holds no secret. `isOverloaded` as in ToolOutcome. */
export type CredentialCheck =
  | { readonly isSuccess: true }
  | {
      readonly isSuccess: false;
      readonly errorMessage: string;
      readonly isUnauthorized: boolean;
      readonly isOverloaded?: true;
    };

/**
 * The request that a call would send, with `***` in place of every secret of the credential. `refused`: nothing would be
 * sent, because the inputs do not make a valid request.
 */
export type Preview =
  | {
      readonly type: 'http';
      readonly method: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
      readonly body: LazyValue;
    }
  | { readonly type: 'handler'; readonly handler: string; readonly fields: LazyObject }
  | { readonly type: 'mcp'; readonly toolName: string; readonly fields: LazyObject }
  | {
      readonly type: 'refused';
      readonly errorMessage: string;
      /** The inputs that are the reason, at least one, if they are known. */
      readonly inputIssues?: readonly InputIssue[];
    };
