import type { Delivery, OpenAttempt } from './delivery.ts';

/** Most events that one request may replay. */
export const MAX_REPLAYED = 10_000;

/** With this many attempts, an event is not replayed to a destination any more: they are kept in one document. */
export const MAX_ATTEMPTS = 1_000;

/**
 * The open attempt of a delivery that is replayed at `now`; undefined: a replay is queued already, and stays.
 *
 * A delivery that is over gets one more attempt. One whose next attempt is scheduled has that one at once, without using
 * up the step of the ladder that it stood for, so that there is one attempt more in all. An attempt that a worker has may
 * have been sent already: what the replay asks for comes after it (settleAttempt).
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

/** The result of `replayed` for a delivery that its event has, and that is not stored yet: its first attempt is still to be made. */
export function firstAttemptReplayed(destinationId: string, capturedAt: Date): OpenAttempt {
  return { ...replayAttempt(destinationId, capturedAt), queue: 0, cause: 'pulledForward' };
}

/** The attempt of a replay that is due at `now`. */
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
