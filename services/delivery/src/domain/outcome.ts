/** How an attempt ended. */
export interface AttemptOutcome {
  /** `delivered`; `retryable`, if the ladder has steps left; or `refused`, permanently. */
  readonly verdict: 'delivered' | 'retryable' | 'refused';
  /** Null: no response. */
  readonly statusCode: number | null;
  /** A stable short code; null if delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** After the attempt was taken over, requests began three times without a result: their workers died. */
export const WORKER_LOST = 'worker_lost';
/** The destination was deleted before all attempts were made. */
export const DESTINATION_DELETED = 'destination_deleted';

const RETRYABLE: ReadonlySet<number> = new Set([408, 429]);

/** The outcome of a response with this status. */
export function outcomeOfStatus(statusCode: number, durationMs: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300)
    return { verdict: 'delivered', statusCode, error: null, durationMs };
  const isRetryable = statusCode >= 500 || RETRYABLE.has(statusCode);
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const error = isRedirect ? 'redirect' : `http_${String(statusCode)}`;
  return { verdict: isRetryable ? 'retryable' : 'refused', statusCode, error, durationMs };
}

/** The outcome without a response; `code` says why. Retryable. */
export function outcomeOfError(code: string, durationMs: number): AttemptOutcome {
  const error = code === 'tls' ? 'tls_failed' : code;
  return { verdict: 'retryable', statusCode: null, error, durationMs };
}
