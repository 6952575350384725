import { ApiError } from '@fairlead/errors/api-error';
import { MAX_CALL_MS } from './detached-call.ts';

/** Share of the request's time, and its maximum, reserved for recording and responding. */
const RESPONSE_SHARE = 0.1;
const MAX_RESPONSE_MS = 500;
/** Share of a call's time, and its maximum, that must remain for the vendor after waiting for a permit. */
const VENDOR_SHARE = 0.25;
const MAX_VENDOR_MS = 5_000;

/** How long a call may wait for a permit. With too little time left for the vendor, the call could have effects whose outcome nobody sees. */
export function waitMs(until: number, now: number): number {
  const leftMs = Math.max(1, until - now);
  return leftMs - Math.min(MAX_VENDOR_MS, leftMs * VENDOR_SHARE);
}

/** Deadline of the call in milliseconds of real time; TIMEOUT if it has passed. */
export function endOfCall(deadline: Date | undefined, timeoutMs: number, now: number): number {
  if (deadline === undefined) return now + timeoutMs;
  const left = deadline.getTime() - now;
  if (left <= 0) throw new ApiError('TIMEOUT', 'The deadline of this call has passed. Nothing was executed.');
  return now + Math.min(timeoutMs, left - Math.min(MAX_RESPONSE_MS, left * RESPONSE_SHARE));
}

/**
 * How much longer a call with this time limit may wait for its client's answers: it ends after MAX_CALL_MS in total, and before its
 * request's deadline.
 */
export function answerTime(deadline: Date | undefined, timeoutMs: number, now: number): number {
  return Math.max(0, endOfCall(deadline, MAX_CALL_MS, now) - endOfCall(deadline, timeoutMs, now));
}

/** Minimum time for masking a large output, even after a slow vendor. */
const MIN_OUTPUT_MASK_MS = 2_000;

/** Time limit for masking an output; all times are in milliseconds. */
export function maskMs(until: number, now: number): number {
  return Math.max(MIN_OUTPUT_MASK_MS, until - now);
}
