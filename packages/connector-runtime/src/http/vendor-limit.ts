import type { RateLimitHeaders } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { retryAfterMs } from './retry-policy.ts';

/** The wait after a 429 that states none. */
const DEFAULT_LIMIT_MS = 1_000;
const UNIT_MS = { seconds: 1_000, milliseconds: 1 } as const;

/**
 * Time for which the vendor refuses further calls of the credential. After a 429, or a response that has its effect (`isThrottled`): `Retry-After` (RFC 9110 section
 * 10.2.3), else the connector's rate-limit headers, else a second. After any other response: those headers, if no
 * calls are left. Undefined: not stated.
 */
export function limitedForMs(
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
  named: RateLimitHeaders | null,
  now: Date,
  isThrottled = status === 429,
): number | undefined {
  const remaining = named === null ? undefined : headers[named.remainingHeader.toLowerCase()];
  const isUsedUp = remaining !== undefined && /^\s*0+\s*$/.test(remaining);
  if (!isThrottled && !isUsedUp) return undefined;
  const stated = isThrottled ? retryAfterMs(headers['retry-after'], now) : undefined;
  const resetMs = stated ?? (named === null ? undefined : untilReset(headers, named, now));
  if (resetMs === undefined) return isThrottled ? DEFAULT_LIMIT_MS : undefined;
  return resetMs > 0 ? resetMs : undefined;
}

function untilReset(
  headers: EgressResponse['headers'],
  { resetHeader, resetUnit }: RateLimitHeaders,
  now: Date,
): number | undefined {
  const text = headers[resetHeader.toLowerCase()]?.trim() ?? '';
  if (resetUnit === 'date') {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : at - now.getTime();
  }
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (resetUnit === 'epochSeconds') return value * 1_000 - now.getTime();
  if (resetUnit === 'epochMilliseconds') return value - now.getTime();
  return value * UNIT_MS[resetUnit];
}
