import type { Delivery } from './delivery.ts';

/** An HTTP request to a destination, past or planned, as its account sees it. */
export interface Attempt {
  readonly attempt: number;
  readonly state: 'pending' | 'delivered' | 'failed' | 'deadLettered';
  readonly destinationId: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Null: not sent yet. */
  readonly durationMs: number | null;
  /** Null: it was sent, or its destination is disabled. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

/** All attempts of an event by number; with the same number, in the order of queueing. */
export function attemptsOf(
  deliveries: readonly Delivery[],
  isDisabled: (destinationId: string) => boolean,
): readonly Attempt[] {
  return deliveries
    .flatMap((delivery) => attemptsOfOne(delivery, isDisabled(delivery.destinationId)))
    .sort((a, b) => a.attempt - b.attempt || a.createdAt.getTime() - b.createdAt.getTime());
}

/** When the event's latest attempt was queued; `capturedAt` if there is none. */
export function lastQueuedAt(deliveries: readonly Delivery[], capturedAt: Date): Date {
  const times = deliveries.flatMap(({ attempts, open }) => [
    ...attempts.map(({ createdAt }) => createdAt),
    ...(open === undefined ? [] : [open.createdAt, open.replayAfter ?? open.createdAt]),
  ]);
  return new Date(Math.max(capturedAt.getTime(), ...times.map((time) => time.getTime())));
}

function attemptsOfOne({ destinationId, attempts, open }: Delivery, isDisabled: boolean): Attempt[] {
  const settled = attempts.map((attempt): Attempt => ({ ...attempt, destinationId, nextAttemptAt: null }));
  if (open === undefined) return settled;
  const { dueAt, createdAt, replayAfter } = open;
  const queued = [
    { dueAt, createdAt },
    ...(replayAfter === undefined ? [] : [{ dueAt: replayAfter, createdAt: replayAfter }]),
  ];
  const next = queued.map((each, index): Attempt => ({
    attempt: attempts.length + 1 + index,
    state: 'pending',
    destinationId,
    statusCode: null,
    error: null,
    durationMs: null,
    nextAttemptAt: isDisabled ? null : each.dueAt,
    createdAt: each.createdAt,
  }));
  return [...settled, ...next];
}
