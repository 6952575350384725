import type { Clock } from '../clock.ts';

/** How changes are subscribed to, and for how long they matter. Times are in milliseconds. */
export interface ChangeTrackerOptions {
  /**
   * Subscribes to the changes; `onChange` takes the scope of each, or undefined if any scope may have changed.
   * `session` identifies the period in which no change was missed (service-kit nats/nats.ts).
   */
  readonly subscribe: (onChange: (scope: string | undefined) => void) => { session(): number | undefined };
  readonly clock: Clock;
  /** How long a write may follow the change that announces it; 0 if every change follows its write. */
  readonly announcedMs: number;
}

/** When a value was requested. */
export interface Requested {
  readonly askedAt: number;
  /** The session at that time. */
  readonly session: number | undefined;
}

/** What the changes tell about values that were requested earlier. */
export interface ChangeTracker {
  /** A request at this time. */
  requested(now: number): Requested;
  /** Whether no change was missed since the request. */
  isOfSession(requested: Requested): boolean;
  /** Whether all announced writes that concern the scope were certainly done before the request. */
  isSettled(scope: string | undefined, requested: Requested): boolean;
  /** How many changes there were. */
  count(): number;
}

/** Tracks changes, and calls `drop` with the scope of each. A value is asked about for at most `keptMs` after its request. */
export function trackChanges(
  { subscribe, clock, announcedMs }: ChangeTrackerOptions,
  keptMs: number,
  drop: (scope: string | undefined) => void,
): ChangeTracker {
  let count = 0;
  /** Until when an announced write may follow, by scope; the earliest first. */
  const changing = new Map<string | undefined, number>();
  let anyChangingUntil = 0;

  const changes = subscribe((scope) => {
    const now = clock.now().getTime();
    count += 1;
    for (const [changed, until] of changing) {
      if (now - until < keptMs) break;
      changing.delete(changed);
    }
    if (announcedMs > 0) {
      anyChangingUntil = now + announcedMs;
      changing.delete(scope);
      changing.set(scope, anyChangingUntil);
    }
    drop(scope);
  });

  return {
    requested: (now) => ({ askedAt: now, session: changes.session() }),
    isOfSession: ({ session }) => session !== undefined && session === changes.session(),
    isSettled: (scope, { askedAt }) =>
      scope === undefined
        ? // A missing record may be the one that is written.
          askedAt >= anyChangingUntil
        : askedAt >= (changing.get(scope) ?? 0) && askedAt >= (changing.get(undefined) ?? 0),
    count: () => count,
  };
}
