import type { AuthenticationMethod, ConnectorHead, JsonObject } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/service-kit/egress';
import type { Credential, FilterCondition, SortClause } from './call.ts';
import { CallFailure } from './failure.ts';

/** What a connector's own function gets: the call, and the guarded way out. */
export interface HandlerCall {
  readonly connector: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly credential: Credential;
  readonly fields: JsonObject;
  readonly filters: readonly FilterCondition[];
  readonly sorts: readonly SortClause[];
  readonly top?: number | undefined;
  readonly offset?: number | undefined;
  readonly egress: Egress;
  /** Aborts at the deadline and when the caller gives up. */
  readonly signal: AbortSignal;
  /** Time left for the call. */
  readonly timeoutMs: number;
}

/** A connector's own function. Answers the tool's output, or throws HandlerError. */
export type Handler = (call: HandlerCall) => Promise<JsonObject>;

/** Finds a connector's function by name; rejects where there is none. */
export type HandlerRegistry = (connectorSlug: string, handler: string) => Promise<Handler>;

/** A handler's expected failure; `message` is for people and holds no secret. */
export class HandlerError extends CallFailure {
  override readonly name = 'HandlerError';
}
