import type { Delivery, DeliveryState, OpenAttempt, SettledAttempt } from './delivery.ts';
import { DESTINATION_DELETED } from './outcome.ts';
import type { AttemptOutcome } from './outcome.ts';
import { replayed } from './replay.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first, second … failed attempt of the retry ladder. */
const LADDER_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const;

/** An attempt that was taken over is sent this often; without a result, it has failed then. */
export const MAX_LOST_CLAIMS = 3;

/** The changes that an attempt's end makes to its delivery. */
export interface Transition {
  readonly attempt: SettledAttempt;
  readonly state: DeliveryState;
  readonly ladder: number;
  /** The next attempt, and `state` is `pending`; undefined: the delivery is over. */
  readonly open: OpenAttempt | undefined;
}

/**
 * Ends the open attempt of a delivery at `now`. A failed step of the ladder is followed by the next one, counted from the
 * failure; a step that a replay had pulled forward stays to be used; a failed replay of a delivery that was over ends it
 * again. A replay that came meanwhile is made at once, unless the destination is gone. Whatever a destination asks for
 * (Retry-After) changes nothing.
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

/** The next attempt after a replay that came during this one, in place of `next`; undefined: none came. */
function replayAfter(
  { destinationId, replayAfter: createdAt }: OpenAttempt,
  next: OpenAttempt | undefined,
  now: Date,
): OpenAttempt | undefined {
  if (createdAt === undefined) return undefined;
  const open = replayed({ destinationId, ...(next && { open: next }) }, now);
  return open && { ...open, createdAt };
}

/** Undefined: there is no further attempt. `ladder`: its attempts that have failed. */
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
