import type { IncomingMessage } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { mayBeLarge } from './large-bodies.ts';

/** Limits of an account's requests that are in progress on this replica. */
export interface InProgressLimits {
  readonly requests: number;
  /** Total bytes of their bodies. Large bodies are limited elsewhere (LargeBodies). */
  readonly bodyBytes: number;
}

/**
 * The gateway's limits. At most 300 executions of an account run or wait at a replica of the tools service; this
 * leaves 100 requests for other calls.
 */
export const IN_PROGRESS_LIMITS: InProgressLimits = { requests: 400, bodyBytes: 32 * 1024 * 1024 };

/** A request, from its arrival to the end of its work. */
export interface Visit {
  /**
   * Counts the request for `key` until it leaves. Throws RATE_LIMIT_EXCEEDED if `key` has too many requests in
   * progress, or too many bytes of bodies.
   */
  enter(key: string, request: IncomingMessage): void;
  /** Ends the visit, even if it was not counted. */
  leave(): void;
}

/** Counts the requests in progress. */
export interface InProgress {
  visit(): Visit;
}

interface AccountUse {
  requests: number;
  bodyBytes: number;
}

/** Limits the requests in progress of each account, so that no account can use up the sockets and memory of others. */
export function createInProgress(limits: InProgressLimits): InProgress {
  const uses = new Map<string, AccountUse>();

  /** Counts a request; returns the function that ends the count. */
  function take(key: string, bytes: number): () => void {
    const of = uses.get(key) ?? { requests: 0, bodyBytes: 0 };
    if (of.requests >= limits.requests) throw tooMany('Too many requests of the account are in progress.');
    if (bytes > 0 && of.bodyBytes + bytes > limits.bodyBytes)
      throw tooMany('The requests of the account that are in progress have too much content.');
    of.requests += 1;
    of.bodyBytes += bytes;
    uses.set(key, of);
    return () => {
      of.requests -= 1;
      of.bodyBytes -= bytes;
      if (of.requests === 0) uses.delete(key);
    };
  }

  return {
    visit() {
      let giveBack: (() => void) | undefined;
      let isOver = false;
      return {
        enter(key, request) {
          // If the response has already ended, for example at a timeout during the look-up of the credential, nothing is counted.
          if (!isOver) giveBack = take(key, smallBodyBytes(request));
        },
        leave() {
          isOver = true;
          giveBack?.();
          giveBack = undefined;
        },
      };
    },
  };
}

function smallBodyBytes(request: IncomingMessage): number {
  return mayBeLarge(request) ? 0 : Number(request.headers['content-length'] ?? 0);
}

function tooMany(reason: string): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', `${reason} Nothing was done.`, { retryAfterSeconds: 1 });
}
