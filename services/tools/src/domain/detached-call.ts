import { ApiError } from '@fairlead/errors/api-error';
import { clientOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** An unanswered request to the client of a call. */
export interface PendingRequest {
  /** Names the request in an answer; unguessable. */
  readonly key: string;
  readonly method: string;
  /** A JSON object as text. */
  readonly params: string;
}

export interface CallOutcome {
  /** In the form that the caller reads. */
  readonly outcome: Uint8Array;
  /** Whether the call was refused, or its tool failed. */
  readonly isFailed: boolean;
}

/** How a call ended. `lost`: its process has died, and the outcome is unknown. */
export type CallEnd =
  ({ readonly kind: 'outcome' } & CallOutcome) | { readonly kind: 'cancelled' } | { readonly kind: 'lost' };

/** A call that continues after its request has ended. */
export interface DetachedCall {
  readonly callId: string;
  /** The tool's name in the request. */
  readonly toolName: string;
  readonly requests: readonly PendingRequest[];
  /** Undefined: still open. */
  readonly end: CallEnd | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** A call in a list, without its outcome. */
export type DetachedCallView = Omit<DetachedCall, 'end'> & {
  readonly end: CallEnd['kind'] | undefined;
  /** CallOutcome.isFailed; false without an outcome. */
  readonly isFailed: boolean;
};

/** A caller whose calls at an MCP server are visible only to itself. */
export interface CallOwner {
  readonly accountId: string;
  /** The user or the restricted API key, together with the server. */
  readonly owner: string;
}

export interface CallName extends CallOwner {
  readonly callId: string;
}

/** Maximum number of open calls per account. */
export const MAX_OPEN_CALLS = 100;
/** Maximum number of stored calls per account. */
export const MAX_KEPT_CALLS = 1_000;
/** Maximum bytes of an account's stored outcomes; the call that reaches it may exceed it. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of one outcome, and of all pending requests of a call; a document may have 16 MiB. */
export const MAX_OUTCOME_BYTES = 12 * 1024 * 1024;
/** Longest duration of a detached call, including its waits for answers. */
export const MAX_CALL_MS = 10 * 60_000;

/** Length of the random part of a call id. */
export const CALL_ID_LENGTH = 32;

const RETRY_AFTER_SECONDS = 60;
const MIN_TTL_MS = 15 * 60_000;
const DEFAULT_TTL_MS = 60 * 60_000;
const MAX_TTL_MS = 24 * 60 * 60_000;

/** How long a call is stored; undefined: the caller did not say. At least until its execution ends. */
export function keptMs(requested: number | undefined): number {
  return Math.min(Math.max(requested ?? DEFAULT_TTL_MS, MIN_TTL_MS), MAX_TTL_MS);
}

/**
 * The owner of the calls that the caller makes through a server, which is given by its id or another name. Anonymous clients share one
 * owner; they need the call's id.
 */
export function ownerOf(ctx: RequestContext, server: string): CallOwner {
  const caller = clientOf(ctx);
  const { accountId } = caller;
  if (caller.kind === 'anonymousClient') return { accountId, owner: `anonymous ${server}` };
  const { keyId } = confinementOf(ctx) ?? {};
  return { accountId, owner: `user ${caller.userId}${keyId === undefined ? '' : ` ${keyId}`} ${server}` };
}

/** The error if a call cannot be stored. */
export function tooManyCalls(): ApiError {
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `The account has too many open calls, at most ${MAX_OPEN_CALLS}, or too many results that are kept. The call was cancelled.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
