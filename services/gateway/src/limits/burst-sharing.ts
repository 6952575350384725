import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { BurstLedger } from './domain/burst-ledger.ts';
import type { Announcement, Tally } from './domain/burst-ledger.ts';
import { Replicas } from './domain/replicas.ts';
import { SECOND_MS } from './domain/windows.ts';
import type { Timers } from './timers.ts';

/** What replicas tell their counts over. */
export interface BurstBus {
  /** Resolves when the bus has it; rejects when it is away. */
  publish(announcement: Announcement): Promise<void>;
  /** Hears of everybody's, own ones too. `session` is undefined while nothing may be heard, and another after that. */
  subscribe(hear: (announcement: Announcement) => void): { session(): number | undefined };
}

/** Longest time that a count waits for others to be told with it. With the way to them it is the delay of the bound. */
export const ANNOUNCE_MS = 25;
/** How often a replica is heard that lets nothing in. */
const HEARTBEAT_MS = 500;
/** Keeps a message far below the megabyte that NATS takes. */
const MOST_COUNTS = 5_000;

/** Counts the calls of each second together with the other replicas. */
export interface BurstSharing {
  readonly knownReplicas: number;
  /** Whether the others cannot be heard, so that each replica lets in its share only. */
  readonly isDegraded: boolean;
  /** How many more calls, or searches, a limit lets this replica in for now; not below 0. */
  room(accountId: string, limit: number, kind: 'calls' | 'searches', nowMs: number): number;
  /** Counts a call that is let in. */
  count(accountId: string, isSearch: boolean, nowMs: number): void;
  /** Tells the others that this replica is gone. */
  close(): Promise<void>;
}

/** Joins the replicas that count over `bus`, under a name of its own. */
export function shareBursts(o: {
  readonly replica: string;
  readonly bus: BurstBus;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): BurstSharing {
  const ledger = new BurstLedger();
  const replicas = new Replicas();
  const now = (): number => o.clock.now().getTime();
  const secondOf = (nowMs: number): number => Math.floor(nowMs / SECOND_MS);
  let announcing: { cancel(): void } | undefined;
  let announcedAt = 0;
  let session: number | undefined;
  let isClosed = false;

  const say = async (announcement: Omit<Announcement, 'replica'>): Promise<void> => {
    announcedAt = now();
    try {
      await o.bus.publish({ replica: o.replica, ...announcement });
    } catch (error) {
      // Nothing waits for it: the session of the subscription tells that the bus is away, and its next one says all anew.
      o.log.debug({ err: error }, 'could not tell how many calls were let in');
    }
  };
  const announce = (): void => {
    const second = secondOf(now());
    do {
      void say({ second, counts: ledger.changes(second, MOST_COUNTS), isLeaving: false });
    } while (ledger.hasChanges);
  };
  const announceSoon = (): void => {
    // Who is alone has nobody to tell.
    if (isClosed || announcing !== undefined || replicas.known === 1) return;
    announcing = o.timers.after(ANNOUNCE_MS, () => {
      announcing = undefined;
      announce();
    });
  };
  const tellAll = (): void => {
    ledger.repeat(secondOf(now()));
    announceSoon();
  };

  const subscription = o.bus.subscribe((announcement) => {
    if (isClosed || announcement.replica === o.replica) return;
    const nowMs = now();
    ledger.hear(announcement, secondOf(nowMs));
    // A newcomer learns at once what it missed, and that there are others.
    if (replicas.hear(announcement.replica, announcement.isLeaving, nowMs)) tellAll();
  });
  const beat = (): void => {
    const nowMs = now();
    const heard = subscription.session();
    replicas.forgetSilent(heard !== undefined, nowMs);
    if (heard !== session && heard !== undefined) tellAll();
    session = heard;
    if (nowMs - announcedAt >= HEARTBEAT_MS / 2) announce();
    beating = o.timers.after(HEARTBEAT_MS, beat);
  };
  let beating = o.timers.after(0, beat);

  const isDegraded = (): boolean => subscription.session() === undefined;
  const spent = (tally: Tally, kind: 'calls' | 'searches', isAlone: boolean): number => {
    if (isAlone) return tally[kind];
    return tally[kind] + (kind === 'calls' ? tally.otherCalls : tally.otherSearches);
  };
  return {
    get knownReplicas() {
      return replicas.known;
    },
    get isDegraded() {
      return isDegraded();
    },
    room(accountId, limit, kind, nowMs) {
      const isAlone = isDegraded();
      const share = isAlone ? Math.max(1, Math.floor(limit / replicas.known)) : limit;
      return Math.max(0, share - spent(ledger.tally(accountId, secondOf(nowMs)), kind, isAlone));
    },
    count(accountId, isSearch, nowMs) {
      ledger.count(accountId, secondOf(nowMs), isSearch);
      announceSoon();
    },
    async close() {
      isClosed = true;
      announcing?.cancel();
      beating.cancel();
      await say({ second: secondOf(now()), counts: [], isLeaving: true });
    },
  };
}
