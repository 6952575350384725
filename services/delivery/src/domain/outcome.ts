/** How an attempt ended. */
export interface AttemptOutcome {
  /** `delivered`; `retryable`, while the ladder has steps left; or `refused`, for good. */
  readonly verdict: 'delivered' | 'retryable' | 'refused';
  /** Null: no response came. */
  readonly statusCode: number | null;
  /** A stable short code; null if it was delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** Requests of an attempt began three times after it was taken over, without a result: its workers were lost. */
export const WORKER_LOST = 'worker_lost';
/** The destination was deleted while attempts were left. */
export const DESTINATION_DELETED = 'destination_deleted';

const RETRYABLE: ReadonlySet<number> = new Set([408, 429]);

/** The outcome of an attempt that got a response with this status. */
export function outcomeOfStatus(statusCode: number, durationMs: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300)
    return { verdict: 'delivered', statusCode, error: null, durationMs };
  const isRetryable = statusCode >= 500 || RETRYABLE.has(statusCode);
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const error = isRedirect ? 'redirect' : `http_${String(statusCode)}`;
  return { verdict: isRetryable ? 'retryable' : 'refused', statusCode, error, durationMs };
}

/** The outcome of an attempt without a response, `code` says why: the destination may answer another time. */
export function outcomeOfError(code: string, durationMs: number): AttemptOutcome {
  const error = code === 'tls' ? 'tls_failed' : code;
  return { verdict: 'retryable', statusCode: null, error, durationMs };
}
