import { ApiError } from '@fairlead/errors/api-error';
import { clientOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A request to the client of a call that has no answer yet. */
export interface PendingRequest {
  /** Names it in an answer; a secret that nobody can guess. */
  readonly key: string;
  readonly method: string;
  /** JSON text of an object. */
  readonly params: string;
}

/** The outcome of a call. */
export interface CallOutcome {
  /** As the caller reads it. */
  readonly outcome: Uint8Array;
  /** Whether the call was refused, or its tool failed. */
  readonly isFailed: boolean;
}

/** How a call ended. `lost`: the process that ran it is gone, and nobody knows the outcome. */
export type CallEnd =
  ({ readonly kind: 'outcome' } & CallOutcome) | { readonly kind: 'cancelled' } | { readonly kind: 'lost' };

/** A call that goes on after the request that began it. */
export interface DetachedCall {
  readonly callId: string;
  /** The name that the request gave the tool. */
  readonly toolName: string;
  readonly requests: readonly PendingRequest[];
  /** Undefined: it is open. */
  readonly end: CallEnd | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** A call in a list, without its outcome. */
export type ListedCall = Omit<DetachedCall, 'end'> & {
  readonly end: CallEnd['kind'] | undefined;
  /** CallOutcome.isFailed; false without an outcome. */
  readonly isFailed: boolean;
};

/** A party whose calls at an MCP server are its own. */
export interface CallOwner {
  readonly accountId: string;
  /** The user, or the confined API key, with the server. */
  readonly owner: string;
}

/** A call of an owner. */
export interface CallName extends CallOwner {
  readonly callId: string;
}

/** Most open calls of an account. */
export const MAX_OPEN_CALLS = 100;
/** Most calls of an account that are kept. */
export const MAX_KEPT_CALLS = 1_000;
/** Most bytes of the outcomes of an account that are kept; a call that ends after that may exceed it. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Most bytes of one outcome, and of all pending requests of a call; a document of the database has 16 MiB. */
export const MAX_OUTCOME_BYTES = 12 * 1024 * 1024;
/** Most time that a detached call runs, its waits for answers included. */
export const MAX_CALL_MS = 10 * 60_000;

/** Characters of the random part of a call id. */
export const CALL_ID_LENGTH = 32;

const RETRY_AFTER_SECONDS = 60;
const MIN_TTL_MS = 15 * 60_000;
const DEFAULT_TTL_MS = 60 * 60_000;
const MAX_TTL_MS = 24 * 60 * 60_000;

/** How long a call is kept; undefined: its caller did not say. It outlives its execution. */
export function keptMs(requested: number | undefined): number {
  return Math.min(Math.max(requested ?? DEFAULT_TTL_MS, MIN_TTL_MS), MAX_TTL_MS);
}

/**
 * The owner of the calls that the caller makes through a server, by its id or another name of it. Clients without a credential share one: they know a call by its id alone.
 */
export function ownerOf(ctx: RequestContext, server: string): CallOwner {
  const caller = clientOf(ctx);
  const { accountId } = caller;
  if (caller.kind === 'anonymousClient') return { accountId, owner: `anonymous ${server}` };
  const { keyId } = confinementOf(ctx) ?? {};
  return { accountId, owner: `user ${caller.userId}${keyId === undefined ? '' : ` ${keyId}`} ${server}` };
}

/** The error for a call that cannot be stored. */
export function tooManyCalls(): ApiError {
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `The account has too many open calls, at most ${MAX_OPEN_CALLS}, or too many results that are kept. The call was cancelled.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
