const MAX_ATTEMPTS = 3;
const BASE_DELAY_MS = 250;
/** Statuses that mean "not now" rather than "no". */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Temporary failures of the connection. A blocked address or an invalid certificate would fail again. */
const TRANSIENT_EGRESS_CODES: ReadonlySet<string> = new Set([
  'connection_refused',
  'connection_reset',
  'connection_failed',
]);

/** Whether a retry may succeed after this response. */
export function isTransientStatus(status: number): boolean {
  return TRANSIENT_STATUSES.has(status);
}

/** Whether a retry may succeed after an EgressError with this code. */
export function isTransientEgressCode(code: string): boolean {
  return TRANSIENT_EGRESS_CODES.has(code);
}

/**
 * The wait in milliseconds after failed attempt number `attempt` (from 1), or undefined for no further attempt. There
 * are at most three attempts, none of which begins after the deadline. The wait doubles from 250 ms with jitter
 * (`random`: 0 to 1), and is never shorter than the vendor's Retry-After.
 */
export function retryDelayMs(o: {
  readonly attempt: number;
  readonly retryAfter: string | undefined;
  /** Time for which the vendor refuses further calls; undefined: not stated. */
  readonly limitedForMs?: number | undefined;
  readonly remainingMs: number;
  readonly random: number;
  readonly now: Date;
}): number | undefined {
  if (o.attempt >= MAX_ATTEMPTS) return undefined;
  const backoffMs = BASE_DELAY_MS * 2 ** (o.attempt - 1) * (0.5 + o.random / 2);
  const delayMs = Math.ceil(Math.max(backoffMs, retryAfterMs(o.retryAfter, o.now) ?? 0, o.limitedForMs ?? 0));
  return delayMs < o.remainingMs ? delayMs : undefined;
}

/** The wait that `Retry-After` asks for (RFC 9110 section 10.2.3: seconds or a date; Shopify sends `2.0`); undefined: none. */
export function retryAfterMs(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at - now.getTime();
}
