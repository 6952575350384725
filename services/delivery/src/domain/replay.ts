import type { Delivery, OpenAttempt } from './delivery.ts';

/** Maximum number of events of one bulk replay. */
export const MAX_REPLAYED = 10_000;

/** With this many attempts, an event cannot be replayed to the destination any more: attempts are stored in one document. */
export const MAX_ATTEMPTS = 1_000;

/**
 * The open attempt of a delivery after a replay at `now`; undefined: a replay is already queued, and stays.
 * - A finished delivery gets one more attempt.
 * - A scheduled retry becomes due at once and does not count as a retry, so that there is one more attempt in total.
 * - An attempt that a worker has claimed may have been sent already, so the replay follows it (settleAttempt).
 */
export function replayed(
  { open, destinationId }: Pick<Delivery, 'open' | 'destinationId'>,
  now: Date,
): OpenAttempt | undefined {
  if (open === undefined) return replayAttempt(destinationId, now);
  if (open.replayAfter !== undefined) return undefined;
  if (open.claim !== null) return { ...open, replayAfter: now };
  if (open.cause !== 'ladder') return undefined;
  const due = open.dueAt > now ? { at: now, dueAt: now } : {};
  return { ...open, ...due, cause: 'pulledForward' };
}

/** The result of `replayed` for a delivery that is not stored yet: its first attempt is still to come. */
export function firstAttemptReplayed(destinationId: string, capturedAt: Date): OpenAttempt {
  return { ...replayAttempt(destinationId, capturedAt), queue: 0, cause: 'pulledForward' };
}

/** A replay's attempt, due at `now`. */
export function replayAttempt(destinationId: string, now: Date): OpenAttempt {
  return {
    destinationId,
    queue: 1,
    at: now,
    dueAt: now,
    createdAt: now,
    cause: 'replay',
    claim: null,
    lostClaims: 0,
  };
}
