import type { JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/egress/egress';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { Credential, FilterCondition, InputIssue, SortClause } from './call.ts';
import { CallFailure } from './failure.ts';
import type { UnbuiltOutput } from './outputs/unbuilt-output.ts';
import type { CallingClient } from './mcp/calling-client.ts';
import type { SessionKey } from './sessions/session-key.ts';
import type { SessionPool } from './sessions/session-pool.ts';

export { parsedMembers, type LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** The argument of a connector's handler: the call and the guarded egress. */
export interface HandlerCall {
  readonly accountId: string;
  readonly connector: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly credential: Credential;
  /** The inputs. Large members are not parsed, except in a worker. */
  readonly fields: LazyObject;
  readonly filters: readonly FilterCondition[];
  readonly sorts: readonly SortClause[];
  readonly top?: number | undefined;
  readonly offset?: number | undefined;
  readonly egress: Egress;
  /** The sessions that the call may use; undefined: it opens its own. */
  readonly sessionKey?: SessionKey | undefined;
  /** The pool that keeps the sessions; undefined outside of workers. */
  readonly sessions?: SessionPool | undefined;
  /** Aborts at the deadline and when the caller cancels. */
  readonly signal: AbortSignal;
  /** Time left for the call. */
  readonly timeoutMs: number;
  /**
   * Call it before the request that has effects; if it rejects, do not send the request (CallOptions.beforeSend).
   * `isReused`: the call uses a session that was open before.
   */
  readonly beforeSend?: ((isReused: boolean) => Promise<void>) | undefined;
  /** The MCP client that the server may address; undefined: none. */
  readonly client?: Omit<CallingClient, 'principal'> | undefined;
  /** Largest output, in bytes of JSON; a call with a larger output fails. */
  readonly maxOutputBytes: number;
  /** Whether a large output may be returned unparsed. Default: no. */
  readonly takesUnbuilt?: boolean | undefined;
}

/** A connector's handler. Returns the tool's output, or throws HandlerError or InputError. */
export type Handler = (call: HandlerCall) => Promise<JsonObject | UnbuiltOutput>;

/** Finds a connector's handler by name; rejects if there is none. */
export type HandlerRegistry = (connectorSlug: string, handler: string) => Promise<Handler>;

/** A handler's expected failure; `message` is for people and holds no secret. */
export class HandlerError extends CallFailure {
  override readonly name = 'HandlerError';
}

/**
 * Invalid inputs that only the vendor's data reveals, such as a filter on a column that the table does not have.
 * Thrown before anything is executed; the caller's request is then refused. `issues` holds at least one issue and no
 * secret.
 */
export class InputError extends CallFailure {
  override readonly name = 'InputError';
  readonly issues: readonly InputIssue[];

  constructor(issues: readonly InputIssue[]) {
    super(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '));
    this.issues = issues;
  }
}
