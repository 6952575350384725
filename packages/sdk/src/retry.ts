import { FairleadError } from './errors.ts';
import type { TryError } from './errors.ts';

/** The settings that decide whether a request is sent again. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** A request whose Retry-After is longer is not repeated. */
  readonly maxRetryAfterSeconds: number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/**
 * How long to wait before the request is sent again, or undefined if it must not be.
 *
 * - 429: the request was not accepted, so any may be repeated, after Retry-After, unless that is above the policy's bound.
 * - 503 and no response: only a request that is safe (GET), or that carries an Idempotency-Key and so takes effect once.
 * - 504: only a safe one. The API does not keep that response for the key, and a request that timed out may have taken effect.
 * - 409 IDEMPOTENCY_IN_PROGRESS: an earlier attempt of ours still runs; its response is available when it is done.
 *
 * `attempt` counts from 0; `random` returns a number in [0, 1).
 */
export function retryDelayMs(
  error: TryError,
  o: {
    readonly attempt: number;
    readonly isSafe: boolean;
    readonly hasKey: boolean;
    readonly policy: RetryPolicy;
    readonly random: () => number;
  },
): number | undefined {
  if (o.attempt >= o.policy.maxRetries || !isRepeatable(error, o)) return undefined;
  const seconds = error instanceof FairleadError ? error.retryAfterSeconds : undefined;
  if (seconds !== undefined) return seconds > o.policy.maxRetryAfterSeconds ? undefined : seconds * 1000;
  // "Equal jitter": clients that failed together retry at different times, and never immediately.
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** o.attempt);
  return Math.round(delay / 2 + (delay / 2) * o.random());
}

function isRepeatable(error: TryError, o: { readonly isSafe: boolean; readonly hasKey: boolean }): boolean {
  if (!(error instanceof FairleadError)) return o.isSafe || o.hasKey;
  switch (error.status) {
    case 429:
      return true;
    case 503:
      return o.isSafe || o.hasKey;
    case 504:
      return o.isSafe;
    case 409:
      return o.hasKey && error.errorCode === 'IDEMPOTENCY_IN_PROGRESS';
    default:
      return false;
  }
}

/** Resolves after `ms`; rejects with the signal's reason if that aborts first. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // The caller expects to catch its own reason.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
