import type { IncomingMessage } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { mayBeLarge } from './large-bodies.ts';

/** Limits of the requests of one account that are in progress on this replica. */
export interface InProgressLimits {
  readonly requests: number;
  /** Bytes of their bodies, without the large ones, which have places of their own. */
  readonly bodyBytes: number;
}

/**
 * The limits of the gateway. At most 300 executions of an account are in progress or wait at a replica of the tools service; the
 * other 100 requests are for its other calls.
 */
export const IN_PROGRESS_LIMITS: InProgressLimits = { requests: 400, bodyBytes: 32 * 1024 * 1024 };

/** One request, from its arrival to the end of its work. */
export interface Visit {
  /**
   * Counts the request for `key` until it leaves. RATE_LIMIT_EXCEEDED if that has as many requests, or as much of their
   * bodies, in progress as it may.
   */
  enter(key: string, request: IncomingMessage): void;
  /** Ends the visit, whether or not it was counted. */
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

/** Bounds the requests that one account can have in progress, so that it cannot take the sockets and memory of the others. */
export function createInProgress(limits: InProgressLimits): InProgress {
  const held = new Map<string, AccountUse>();

  /** Returns the function that gives it back. */
  function take(key: string, bytes: number): () => void {
    const of = held.get(key) ?? { requests: 0, bodyBytes: 0 };
    if (of.requests >= limits.requests) throw tooMany('Too many requests of the account are in progress.');
    if (bytes > 0 && of.bodyBytes + bytes > limits.bodyBytes)
      throw tooMany('The requests of the account that are in progress have too much content.');
    of.requests += 1;
    of.bodyBytes += bytes;
    held.set(key, of);
    return () => {
      of.requests -= 1;
      of.bodyBytes -= bytes;
      if (of.requests === 0) held.delete(key);
    };
  }

  return {
    visit() {
      let giveBack: (() => void) | undefined;
      let isOver = false;
      return {
        enter(key, request) {
          // Its credential was found out too late for a response.
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
