import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type {
  AuthenticationMethod,
  ConnectorHead,
  ToolDefinition,
  ToolExecution,
} from '@fairlead/connector-model/model';
import type { FilterOperator, SortDirection } from '@fairlead/connector-model/enumerations';
import type { LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { CallingClient } from './mcp/calling-client.ts';
import type { McpRequestTool } from './mcp/mcp-request.ts';
import type { UnbuiltOutput } from './outputs/unbuilt-output.ts';
import type { TriggerTool } from './triggers/trigger-tool.ts';

/** The part of a connection that a call needs: its field values, and an access token if the method is OAuth 2. */
export interface Credential {
  /** Grows with every change. The caller uses it to name the credential that the vendor refused. */
  readonly version: number;
  /** Values by field name, secret ones included. */
  readonly fields: JsonObject;
  readonly accessToken?: string;
  /** Every secret value of the connection, the access token among them; none may appear in an error text. */
  readonly secrets: readonly string[];
  /** Changes when a person replaces the credential or its address, but not when tokens are refreshed. Absent: not known. */
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

/** One sort clause; the first clause is the primary order. */
export interface SortClause {
  readonly field: string;
  readonly direction: SortDirection;
}

/** A tool of the catalogue, or a passthrough request to the application's API (http/passthrough.ts). */
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
  /** Page size, 1 to 100; absent: 100 if the tool supports paging. */
  readonly top?: number | undefined;
  /** Absent: 0. */
  readonly offset?: number | undefined;
}

/** A call of a tool, of a trigger (its configuration is in `fields`), or another request to an MCP server. */
export interface VendorCall extends Omit<ToolCall, 'tool'> {
  readonly tool: CallableTool | TriggerTool | McpRequestTool;
}

/** The account that a call is made for, the call's time limit, and its cancellation by the caller. */
export interface CallOptions {
  /** The account. Worker processes serve one account each. */
  readonly accountId: string;
  /**
   * The connection whose open sessions with the vendor's server the call may use; undefined: the call opens and ends
   * its own session.
   */
  readonly connectionId?: number;
  /** The API request that led to this call, for the agents service: its id, and the services that serve it by their canary. */
  readonly origin?: { readonly requestId: string; readonly canaries: readonly string[] | undefined };
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Time that the call may wait for its client's answers, in addition to the time limit. Default: none. */
  readonly answerMs?: number | undefined;
  /** Called with the time for which the vendor refuses further calls of the credential, as soon as the vendor states it. */
  readonly onLimited?: (forMs: number) => void;
  /**
   * Called before a handler sends the request that has effects; if it rejects, the request is not sent. It is called
   * after a new session was opened, and if more than 100 ms have passed since the call began or was last permitted.
   * HTTP tools do not call it.
   */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** Whether a large output is returned unparsed (UnbuiltOutput). Default: every output is parsed. */
  readonly takesUnbuilt?: boolean;
  /** The MCP client to which an MCP server may send messages during the call. Default: none. */
  readonly client?: CallingClient | undefined;
  /** Whether the output of an MCP tool is the server's whole result. Default: its structured content, else its content. */
  readonly takesMcpResult?: boolean | undefined;
  /** Largest output, in bytes of JSON. An output above MAX_OUTPUT_BYTES is returned unparsed. Default: MAX_OUTPUT_BYTES. */
  readonly maxOutputBytes?: number | undefined;
}

/** An input that the vendor or handler refused; `field` is its path as the caller sends it, such as `filters[0].field`. */
export interface InputIssue {
  readonly field: string;
  readonly issue: string;
}

/**
 * The outcome of a call. `attempts` counts the first attempt and the automatic retries. `isUnauthorized`: the vendor
 * refused the credential, so a refreshed access token may help. `inputIssues`, at least one: the inputs were refused
 * before anything was executed, for a reason that only the vendor knows. `isOverloaded`: nothing was executed,
 * because too many other calls are running. `isWithdrawn`: nothing was executed, because `beforeSend` rejected.
 * `unbuilt`: a large output, if CallOptions.takesUnbuilt is set; reading `output` parses it in the current thread,
 * and throws CallFailure above a limit. `isToolUnknown`: the MCP server no longer has the tool. `missingScopes`, at
 * least one: scopes that the tool needs and the connection was not granted; they may be the reason of the vendor's
 * refusal. `mcpResult`: the MCP server's error result, if CallOptions.takesMcpResult is set. `mcpError`: the MCP
 * server's JSON-RPC error, if the client has to see it. `mcpResult` and `mcpError` are not masked.
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

/** The result of testing a credential. `errorMessage` is for people and holds no secret. `isOverloaded` as in ToolOutcome. */
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
      /** The invalid inputs, at least one, if they are known. */
      readonly inputIssues?: readonly InputIssue[];
    };
