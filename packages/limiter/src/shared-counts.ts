import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { Replicas } from './replicas.ts';
import { SecondCounts } from './second-counts.ts';
import type { CountUpdate } from './second-counts.ts';
import { SECOND_MS } from './windows.ts';

/** How replicas publish their counts to each other. */
export interface CountBus {
  /** Resolves when the bus has the update; rejects while the bus is unavailable. */
  publish(update: CountUpdate): Promise<void>;
  /**
   * Receives the updates of all replicas, including its own. `session` is undefined while updates may be missed, and has a new value
   * afterwards.
   */
  subscribe(receive: (update: CountUpdate) => void): { session(): number | undefined };
}

/** The longest time before a count is published. Together with the network delay, this bounds how far replicas overshoot the limit. */
export const PUBLISH_DELAY_MS = 25;
/** How often a replica that admits nothing publishes. */
const HEARTBEAT_MS = 500;
/** Keeps a message far below the limit of NATS, one megabyte. */
const MAX_KEYS = 5_000;

/** Counts the calls of each second together with the other replicas. */
export interface SharedCounts {
  readonly knownReplicas: number;
  /** Whether updates of the others may be missed, so that each replica admits only its share. */
  readonly isDegraded: boolean;
  /** How many more calls this replica may admit now under the limit of that name; not below 0. */
  remaining(key: string, name: string, max: number, nowMs: number): number;
  /** Counts an admitted call under each of these names. */
  count(key: string, names: readonly string[], nowMs: number): void;
  /** Publishes that this replica is leaving. */
  close(): Promise<void>;
}

/** Joins the replicas that count over `bus`. `replica` names this one and is unique. */
export function shareCounts(o: {
  readonly replica: string;
  readonly bus: CountBus;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): SharedCounts {
  const counts = new SecondCounts();
  const replicas = new Replicas();
  const now = (): number => o.clock.now().getTime();
  const secondOf = (nowMs: number): number => Math.floor(nowMs / SECOND_MS);
  let publishing: { cancel(): void } | undefined;
  let publishedAt = 0;
  let session: number | undefined;
  let isClosed = false;

  const publish = async (update: Omit<CountUpdate, 'replica'>): Promise<void> => {
    publishedAt = now();
    try {
      await o.bus.publish({ replica: o.replica, ...update });
    } catch (error) {
      // Nothing waits for the publication: the subscription's session shows that the bus is unreachable, and the next update repeats all
      // counts.
      o.log.debug({ err: error }, 'cannot publish how many calls were admitted');
    }
  };
  const publishChanges = (): void => {
    const second = secondOf(now());
    do {
      void publish({ second, counts: counts.changes(second, MAX_KEYS), isLeaving: false });
    } while (counts.hasChanges);
  };
  const publishSoon = (): void => {
    // A sole replica has no recipients.
    if (isClosed || publishing !== undefined || replicas.known === 1) return;
    publishing = o.timers.after(PUBLISH_DELAY_MS, () => {
      publishing = undefined;
      publishChanges();
    });
  };
  const publishAll = (): void => {
    counts.repeat(secondOf(now()));
    publishSoon();
  };

  const subscription = o.bus.subscribe((update) => {
    if (isClosed || update.replica === o.replica) return;
    const nowMs = now();
    counts.receive(update, secondOf(nowMs));
    // Tells a new replica at once the counts that it missed and that other replicas exist.
    if (replicas.seen(update.replica, update.isLeaving, nowMs)) publishAll();
  });
  const beat = (): void => {
    const nowMs = now();
    const current = subscription.session();
    replicas.dropSilent(current !== undefined, nowMs);
    if (current !== session && current !== undefined) publishAll();
    session = current;
    if (nowMs - publishedAt >= HEARTBEAT_MS / 2) publishChanges();
    beating = o.timers.after(HEARTBEAT_MS, beat);
  };
  let beating = o.timers.after(0, beat);

  const isDegraded = (): boolean => subscription.session() === undefined;
  return {
    get knownReplicas() {
      return replicas.known;
    },
    get isDegraded() {
      return isDegraded();
    },
    remaining(key, name, max, nowMs) {
      const second = secondOf(nowMs);
      const own = counts.own(key, name, second);
      if (isDegraded()) return Math.max(0, Math.max(1, Math.floor(max / replicas.known)) - own);
      return Math.max(0, max - own - counts.others(key, name, second));
    },
    count(key, names, nowMs) {
      counts.count(key, names, secondOf(nowMs));
      publishSoon();
    },
    async close() {
      isClosed = true;
      publishing?.cancel();
      beating.cancel();
      await publish({ second: secondOf(now()), counts: [], isLeaving: true });
    },
  };
}
