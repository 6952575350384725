import type { Delivery } from './delivery.ts';

/** One HTTP call to a destination, made or to be made, as its account sees it. */
export interface Attempt {
  readonly attempt: number;
  readonly state: 'pending' | 'delivered' | 'failed' | 'deadLettered';
  readonly destinationId: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** Null: not made yet. */
  readonly durationMs: number | null;
  /** Null: it was made, or its destination is disabled. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

/** The attempts of an event's deliveries by number; of one number, in the order in which they were queued. */
export function attemptsOf(
  deliveries: readonly Delivery[],
  isDisabled: (destinationId: string) => boolean,
): readonly Attempt[] {
  return deliveries
    .flatMap((delivery) => attemptsOfOne(delivery, isDisabled(delivery.destinationId)))
    .sort((a, b) => a.attempt - b.attempt || a.createdAt.getTime() - b.createdAt.getTime());
}

/** When the latest attempt of an event was queued; `capturedAt` if it has none. */
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
