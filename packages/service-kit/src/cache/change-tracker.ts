import type { Clock } from '../clock.ts';

/** The part of a change message that announces a write before it happens. */
export interface AnnouncedChange {
  /** Identifies the change within its scope. */
  readonly id: string;
  /** False: the write may follow. True: it is over, whether or not it was made. */
  readonly isDone: boolean;
}

/**
 * Takes a message about a change: its scope, or undefined if any scope may have changed. If the message does not say to
 * which announced change it belongs, a write may follow it for `announcedMs`.
 */
export type OnChange = (scope: string | undefined, announced?: AnnouncedChange) => void;

/** How changes are subscribed to, and for how long they matter. Times are in milliseconds. */
export interface ChangeTrackerOptions {
  /**
   * Subscribes to the changes. `session` identifies the period in which no change was missed (service-kit nats/nats.ts).
   */
  readonly subscribe: (onChange: OnChange) => { session(): number | undefined };
  readonly clock: Clock;
  /**
   * How long a write may follow the message that announces it, unless another message says earlier that it is over; 0 if
   * every change follows its write.
   */
  readonly announcedMs: number;
}

/** When a value was requested. */
export interface ReadStart {
  readonly askedAt: number;
  /** The session at that time. */
  readonly session: number | undefined;
}

/** Tells whether a value that was requested earlier may miss a change. */
export interface ChangeTracker {
  /** A request at this time. */
  requested(now: number): ReadStart;
  /** Whether no change was missed since the request. */
  isOfSession(requested: ReadStart): boolean;
  /** Whether all announced writes that concern the scope were certainly done before the request. */
  isSettled(scope: string | undefined, requested: ReadStart): boolean;
  /** How many messages there were. */
  count(): number;
}

/** The announced writes of a scope. */
interface Writes {
  /** Until when each open change may be written, by its id. */
  readonly open: Map<string, number>;
  /** Until when writes that are not in `open` may follow: no message can tell their end. */
  unidentifiedUntil: number;
  /** The latest of these times. */
  until: number;
}

/** Changes stay open only if their last message is lost, so these limits are far above what is in progress at a time. */
const MAX_OPEN_PER_SCOPE = 32;
const MAX_SCOPES = 1_000;

/**
 * Tracks changes, and calls `drop` with the scope of each message. A value is asked about for at most `keptMs` after its
 * request, and never if `drop` concerned it.
 */
export function trackChanges(
  { subscribe, clock, announcedMs }: ChangeTrackerOptions,
  keptMs: number,
  drop: (scope: string | undefined) => void,
): ChangeTracker {
  let count = 0;
  /** The scope that changed first comes first. */
  const changing = new Map<string | undefined, Writes>();
  /** Until when a write of a scope may follow that is no longer in `changing`. */
  let forgottenUntil = 0;
  /** Until when any announced write may follow. */
  let anyUntil = 0;

  const forgetOld = (now: number): void => {
    for (const [scope, { until }] of changing) {
      const isOld = now - until >= keptMs;
      if (!isOld && changing.size <= MAX_SCOPES) return;
      if (!isOld) forgottenUntil = Math.max(forgottenUntil, until);
      changing.delete(scope);
    }
  };

  const announce = (scope: string | undefined, id: string | undefined, now: number): void => {
    const writes = changing.get(scope) ?? { open: new Map<string, number>(), unidentifiedUntil: 0, until: 0 };
    // Values from before the message are dropped, so the writes that can no longer follow concern no value.
    for (const [old, until] of writes.open) if (until <= now) writes.open.delete(old);
    writes.until = now + announcedMs;
    if (id !== undefined && writes.open.size < MAX_OPEN_PER_SCOPE) writes.open.set(id, writes.until);
    else writes.unidentifiedUntil = writes.until;
    changing.delete(scope);
    changing.set(scope, writes);
    anyUntil = writes.until;
  };

  const end = (scope: string | undefined, id: string, now: number): void => {
    const writes = changing.get(scope);
    if (writes?.open.delete(id) !== true) return;
    writes.until = Math.max(writes.unidentifiedUntil, ...writes.open.values());
    if (writes.until <= now) changing.delete(scope);
    anyUntil = forgottenUntil;
    for (const { until } of changing.values()) anyUntil = Math.max(anyUntil, until);
  };

  const changes = subscribe((scope, announced) => {
    const now = clock.now().getTime();
    count += 1;
    if (announced?.isDone === true) end(scope, announced.id, now);
    else if (announcedMs > 0) announce(scope, announced?.id, now);
    forgetOld(now);
    drop(scope);
  });

  return {
    requested: (now) => ({ askedAt: now, session: changes.session() }),
    isOfSession: ({ session }) => session !== undefined && session === changes.session(),
    isSettled: (scope, { askedAt }) =>
      scope === undefined
        ? // A missing record may be the one that is written.
          askedAt >= anyUntil
        : askedAt >= forgottenUntil &&
          askedAt >= (changing.get(scope)?.until ?? 0) &&
          askedAt >= (changing.get(undefined)?.until ?? 0),
    count: () => count,
  };
}
