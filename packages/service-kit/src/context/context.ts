import { ApiError } from '@fairlead/errors/api-error';
import { lateChild } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Caller, ClientCaller, UserCaller } from './caller.ts';

/** The first parameter of every function below the edge. */
export interface RequestContext {
  readonly requestId: string;
  readonly caller: Caller;
  /** Aborts when the caller has disconnected or the deadline has passed. */
  readonly signal: AbortSignal;
  /** Deadline in real time; undefined: the caller set none. */
  readonly deadline: Date | undefined;
  /** Logger that adds the request id to each line. */
  readonly log: Logger;
  /** Names of the services whose canary serves the request; undefined: not chosen yet. */
  readonly canaries?: readonly string[] | undefined;
}

/** The request id's metadata key and HTTP header. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Creates a context at the edge: in the gateway, workers and tests. RPC methods get theirs from the RPC server. */
export function createRequestContext(o: {
  readonly requestId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly deadline?: Date | undefined;
  readonly log: Logger;
  readonly canaries?: readonly string[] | undefined;
}): RequestContext {
  return {
    requestId: o.requestId,
    caller: o.caller,
    signal: o.signal,
    deadline: o.deadline,
    log: lateChild(o.log, { requestId: o.requestId }),
    canaries: o.canaries,
  };
}

/** Requires a service that acts for the platform itself; throws FORBIDDEN for other kinds of callers. */
export function requirePlatform(ctx: RequestContext): void {
  if (ctx.caller.kind === 'service') return;
  throw new ApiError('FORBIDDEN', 'Only the platform itself may do this.');
}

/**
 * The caller as a user, or as a client without a credential (which reaches only methods that are open to it); throws
 * UNAUTHORIZED for other kinds.
 */
export function clientOf(ctx: RequestContext): ClientCaller {
  return ctx.caller.kind === 'anonymousClient' ? ctx.caller : userOf(ctx);
}

/** The caller as a user; throws UNAUTHORIZED for other kinds, because only a user has a user's rights. */
export function userOf(ctx: RequestContext): UserCaller {
  if (ctx.caller.kind === 'user') return ctx.caller;
  throw new ApiError('UNAUTHORIZED', 'This operation needs the context of an account.');
}

/** The calling user; null: another kind of caller. */
export function userIdOf({ caller }: Pick<RequestContext, 'caller'>): string | null {
  return caller.kind === 'user' ? caller.userId : null;
}

/** The toolset and API key to which the caller is confined; undefined: none. */
export function confinementOf({ caller }: Pick<RequestContext, 'caller'>): UserCaller['confinement'] {
  return caller.kind === 'user' ? caller.confinement : undefined;
}

/**
 * The context for a change of account data that a call causes indirectly. It is not confined to a toolset; a client
 * without a credential is replaced by the service `service` acting for the account.
 */
export function unconfined(ctx: RequestContext, service: string): RequestContext {
  const { caller } = ctx;
  if (caller.kind === 'anonymousClient')
    return { ...ctx, caller: { kind: 'serviceForAccount', service, accountId: caller.accountId } };
  if (caller.kind !== 'user') return ctx;
  const { confinement: _none, ...unrestricted } = caller;
  return { ...ctx, caller: unrestricted };
}

/**
 * The account of the caller: of a user, a client without a credential, or a service that acts for an account; throws
 * UNAUTHORIZED for other kinds.
 */
export function actingAccountOf(ctx: RequestContext): string {
  return ctx.caller.kind === 'serviceForAccount' ? ctx.caller.accountId : accountOf(ctx);
}

/** The account id of a user or a client without a credential; throws UNAUTHORIZED for other kinds. */
export function accountOf(ctx: RequestContext): string {
  return clientOf(ctx).accountId;
}
