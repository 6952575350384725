import type { Delivery, DeliveryState, OpenAttempt, SettledAttempt } from './delivery.ts';
import { DESTINATION_DELETED } from './outcome.ts';
import type { AttemptOutcome } from './outcome.ts';
import { replayed } from './replay.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses of the retry ladder after the first, second, … failed attempt. */
const LADDER_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const;

/** Number of requests of a taken-over attempt, after which it counts as failed if none had a result. */
export const MAX_LOST_CLAIMS = 3;

/** The changes of a delivery when an attempt ends. */
export interface Transition {
  readonly attempt: SettledAttempt;
  readonly state: DeliveryState;
  readonly ladder: number;
  /** The next attempt, with `state` `pending`; undefined: the delivery has ended. */
  readonly open: OpenAttempt | undefined;
}

/**
 * Ends the open attempt of a delivery at `now`. After a failed step of the ladder the next step follows, counted from the failure. A step
 * that a replay brought forward can still be used. After a failed replay of a finished delivery, the delivery ends again. A replay
 * requested meanwhile is made at once, unless the destination was deleted. Retry-After is ignored.
 */
export function settleAttempt(
  delivery: Delivery & { readonly open: OpenAttempt },
  outcome: AttemptOutcome,
  now: Date,
): Transition {
  const { open, attempts } = delivery;
  const { verdict, statusCode, error, durationMs } = outcome;
  const ladder = delivery.ladder + (open.cause === 'ladder' && verdict !== 'delivered' ? 1 : 0);
  const pauseMs = verdict === 'retryable' ? pauseAfter(open.cause, ladder) : undefined;
  const over = verdict === 'delivered' ? 'delivered' : 'deadLettered';
  const attempt: SettledAttempt = {
    attempt: attempts.length + 1,
    state: pauseMs === undefined ? over : 'failed',
    statusCode,
    error,
    durationMs,
    createdAt: open.createdAt,
  };
  const next = pauseMs === undefined ? undefined : ladderAttempt(open.destinationId, now, pauseMs);
  const replay = error === DESTINATION_DELETED ? undefined : replayAfter(open, next, now);
  const following = replay ?? next;
  return { attempt, state: following === undefined ? over : 'pending', ladder, open: following };
}

function ladderAttempt(destinationId: string, now: Date, pauseMs: number): OpenAttempt {
  const dueAt = new Date(now.getTime() + pauseMs);
  return {
    destinationId,
    queue: 1,
    at: dueAt,
    dueAt,
    createdAt: now,
    cause: 'ladder',
    claim: null,
    lostClaims: 0,
  };
}

/** The attempt of a replay requested during this one, instead of `next`; undefined: none was requested. */
function replayAfter(
  { destinationId, replayAfter: createdAt }: OpenAttempt,
  next: OpenAttempt | undefined,
  now: Date,
): OpenAttempt | undefined {
  if (createdAt === undefined) return undefined;
  const open = replayed({ destinationId, ...(next && { open: next }) }, now);
  return open && { ...open, createdAt };
}

/** Undefined: no further attempt. `ladder`: number of failed attempts. */
function pauseAfter(cause: OpenAttempt['cause'], ladder: number): number | undefined {
  switch (cause) {
    case 'ladder':
      return LADDER_MS[ladder - 1];
    case 'pulledForward':
      return LADDER_MS[Math.max(0, ladder - 1)];
    case 'replay':
      return undefined;
  }
}
