import { ApiError } from '@fairlead/errors/api-error';
import { MAX_CALL_MS } from './detached-call.ts';

/** The share of the request's time, and its maximum, that is reserved for recording and responding. */
const RESPONSE_SHARE = 0.1;
const MAX_RESPONSE_MS = 500;
/** The share of a call's time, and its maximum, that is left to the vendor after a wait for a slot. */
const VENDOR_SHARE = 0.25;
const MAX_VENDOR_MS = 5_000;

/** How long a call may wait: with too little time left for the vendor, it could have effects that nobody sees. */
export function waitMs(until: number, now: number): number {
  const leftMs = Math.max(1, until - now);
  return leftMs - Math.min(MAX_VENDOR_MS, leftMs * VENDOR_SHARE);
}

/** The deadline of the call in milliseconds of real time; TIMEOUT if it has passed. */
export function endOfCall(deadline: Date | undefined, timeoutMs: number, now: number): number {
  if (deadline === undefined) return now + timeoutMs;
  const left = deadline.getTime() - now;
  if (left <= 0) throw new ApiError('TIMEOUT', 'The deadline of this call has passed. Nothing was executed.');
  return now + Math.min(timeoutMs, left - Math.min(MAX_RESPONSE_MS, left * RESPONSE_SHARE));
}

/**
 * How long a call with this time limit may wait for answers of its client, besides: it ends after MAX_CALL_MS in all, and before the deadline of its
 * request.
 */
export function answerTime(deadline: Date | undefined, timeoutMs: number, now: number): number {
  return Math.max(0, endOfCall(deadline, MAX_CALL_MS, now) - endOfCall(deadline, timeoutMs, now));
}

/** A large output has this time at least to be masked, also after a slow vendor. */
const MIN_OUTPUT_MASK_MS = 2_000;

/** How long an output may wait until it is masked; all times are in milliseconds. */
export function maskMs(until: number, now: number): number {
  return Math.max(MIN_OUTPUT_MASK_MS, until - now);
}
