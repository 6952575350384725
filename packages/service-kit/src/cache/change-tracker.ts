import type { Clock } from '../clock.ts';

/** The part of a change message that announces a write in advance. */
export interface AnnouncedChange {
  /** Identifies the change within its scope. */
  readonly id: string;
  /** False: the write may follow. True: it is complete or was given up. */
  readonly isDone: boolean;
}

/**
 * Receives a message about a change of `scope` (undefined: of any scope). If the message does not name an announced
 * change, a write may follow it for `announcedMs`.
 */
export type OnChange = (scope: string | undefined, announced?: AnnouncedChange) => void;

/** The subscription to changes, and the time for which they matter. Times are in milliseconds. */
export interface ChangeTrackerOptions {
  /** Subscribes to changes. `session` identifies the period in which no change was missed (service-kit nats/nats.ts). */
  readonly subscribe: (onChange: OnChange) => { session(): number | undefined };
  readonly clock: Clock;
  /**
   * Maximum time from the announcement of a write to the write, unless another message ends it earlier; 0 if changes
   * are published after their writes.
   */
  readonly announcedMs: number;
}

/** The time of a value's request. */
export interface RequestTime {
  readonly askedAt: number;
  /** The session at that time. */
  readonly session: number | undefined;
}

/** Decides whether a value that was requested earlier may miss a change. */
export interface ChangeTracker {
  /** A request at the current time. */
  requested(now: number): RequestTime;
  /** Whether no change was missed since the request. */
  isOfSession(requested: RequestTime): boolean;
  /** Whether all announced writes of the scope were certainly complete before the request. */
  isSettled(scope: string | undefined, requested: RequestTime): boolean;
  /** Number of messages so far. */
  count(): number;
}

/** The announced writes of a scope. */
interface Writes {
  /** The time until which each open change may be written, by its id. */
  readonly open: Map<string, number>;
  /** The time until which other writes may follow, whose end no message reports. */
  unidentifiedUntil: number;
  /** The latest of these times. */
  until: number;
}

/** Changes stay open only if their last message is lost, so these limits are far above the number of simultaneous changes. */
const MAX_OPEN_PER_SCOPE = 32;
const MAX_SCOPES = 1_000;

/**
 * Tracks changes, and calls `drop` with the scope of each message. A value may be checked until `keptMs` after its
 * request, and not after `drop` concerned it.
 */
export function trackChanges(
  { subscribe, clock, announcedMs }: ChangeTrackerOptions,
  keptMs: number,
  drop: (scope: string | undefined) => void,
): ChangeTracker {
  let count = 0;
  /** The scope that changed first comes first. */
  const changing = new Map<string | undefined, Writes>();
  /** The time until which a write may follow of a scope that was removed from `changing`. */
  let forgottenUntil = 0;
  /** The time until which any announced write may follow. */
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
    // Values from before the message are dropped, so past writes concern no value.
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
        ? // A record that was not found may be the one that is being written.
          askedAt >= anyUntil
        : askedAt >= forgottenUntil &&
          askedAt >= (changing.get(scope)?.until ?? 0) &&
          askedAt >= (changing.get(undefined)?.until ?? 0),
    count: () => count,
  };
}
