import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';
import { trackChanges } from './change-tracker.ts';
import type { ChangeTrackerOptions, ReadStart } from './change-tracker.ts';
import { orStandIn } from './stand-in.ts';

/** Values of one kind, each cached under a key. */
interface ChangeCache<V> {
  /**
   * The cached value, or that of `load`. A failure is not cached. Rejects as `load` does, unless a value can stand in
   * (`awayMs`).
   */
  get(key: string, load: () => Promise<V>): Promise<V>;
  /** Drops the value of a key, to limit memory. */
  forget(key: string): void;
}

/** Caches that share one subscription to changes. */
export interface ChangeCaches {
  /**
   * Opens a cache. `scopeOf` returns the scope whose changes concern a value, such as the account that it belongs to;
   * undefined if every change does, as for a record that was not found. A value without a scope is cached only while no
   * change can be missed, so that a record that is created is found at once, and never stands in for one that cannot be
   * loaded.
   */
  open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V>;
}

/** How long values are used, and what invalidates them. Times are in milliseconds. */
export interface ChangeCacheOptions extends ChangeTrackerOptions {
  /** How long a value is used within the session in which it was loaded. */
  readonly freshMs: number;
  /**
   * How long it is used otherwise; 0: not at all. Callers also share one load for this long, so a load must not be
   * cancelled with its caller unless this is 0.
   */
  readonly uncertainMs: number;
  /**
   * How long a value may stand in, within its session, for one that cannot be loaded because its source is away: the
   * load fails with UNAVAILABLE or TIMEOUT, or takes longer than `patienceMs`. Absent: not at all. Such a load goes on
   * without its callers: it must not be cancelled with them, and must end by itself.
   */
  readonly awayMs?: number;
  /** How long callers wait for a load although a value can stand in; a quarter of a second if absent. */
  readonly patienceMs?: number;
  /** Measure the patience; the timers of the process if absent. */
  readonly timers?: Timers;
  /**
   * The most values with a scope that each cache keeps, and, apart from them, the most values without one and loads of
   * unknown keys. The oldest are dropped first. So requests for records that do not exist drop none that do.
   */
  readonly maxEntries: number;
}

interface Entry<V> extends ReadStart {
  readonly answer: Promise<V>;
  /** Undefined until the value is loaded. */
  loaded: { readonly scope: string | undefined } | undefined;
  /** The last attempt to replace the value. */
  reload: Reload<V> | undefined;
}

interface Reload<V> {
  /** The new value. */
  readonly loading: Promise<V>;
  /** The new value, or the old one if that stands in. */
  readonly answer: Promise<V>;
  readonly startedAt: number;
  isPending: boolean;
}

const PATIENCE_MS = 250;
/** How long nobody waits for a source that was found away, and how often each key is tried meanwhile. */
const AWAY_PAUSE_MS = 1_000;

/**
 * Caches for data that changes rarely but must be correct soon (docs/adr/0009): messages make a change visible at once,
 * and time bounds the effect of a lost message. A value is used for `freshMs` while no message can have been missed since
 * it was requested, and for `uncertainMs` otherwise, unless it has no scope. A change drops the values of its scope and
 * those whose load is in progress; values of its scope that are requested while an announced write may follow are used for
 * `uncertainMs` only. An older value that no message concerned stands in while its source is away, for `awayMs`.
 */
export function createChangeCaches(o: ChangeCacheOptions): ChangeCaches {
  const { clock, freshMs, uncertainMs, awayMs = 0, patienceMs = PATIENCE_MS, timers = systemTimers } = o;
  const keptMs = Math.max(freshMs, awayMs);
  const caches: ((scope: string | undefined) => void)[] = [];
  const changes = trackChanges(o, keptMs, (scope) => {
    for (const drop of caches) drop(scope);
  });
  /** Until when the source counts as away. */
  let awayUntil = 0;
  const nowMs = (): number => clock.now().getTime();

  const isUsable = (entry: Entry<unknown>, now: number): boolean => {
    const { askedAt, loaded } = entry;
    const age = now - askedAt;
    // A load that hangs (a frozen database) must not delay callers who arrive after the database is back.
    if (loaded === undefined) return age < uncertainMs;
    if (age < uncertainMs && loaded.scope !== undefined) return true;
    if (age >= freshMs || !changes.isOfSession(entry)) return false;
    return age < uncertainMs || changes.isSettled(loaded.scope, entry);
  };
  /** Whether a value that is not usable by itself may, now or later, stand in for one that cannot be loaded. */
  const isKept = ({ loaded, askedAt }: Entry<unknown>, now: number): boolean =>
    loaded?.scope !== undefined && now - askedAt < awayMs;
  const mayStandIn = (entry: Entry<unknown>, now: number): boolean =>
    isKept(entry, now) && changes.isOfSession(entry) && changes.isSettled(entry.loaded?.scope, entry);
  const onAway = (): void => {
    awayUntil = nowMs() + AWAY_PAUSE_MS;
  };

  return {
    open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V> {
      // Values with a scope. In both maps, the first entry becomes stale first.
      const found = new Map<string, Entry<V>>();
      // Values without one, and the first loads of keys: what anybody can cause.
      const unknown = new Map<string, Entry<V>>();
      caches.push((scope) => {
        // A load in progress may return data from before the change.
        unknown.clear();
        if (scope === undefined) found.clear();
        else for (const [key, { loaded }] of found) if (loaded?.scope === scope) found.delete(key);
      });
      const find = (key: string): Entry<V> | undefined => found.get(key) ?? unknown.get(key);
      /** Puts the entry in the place of the one that the key has. */
      const put = (key: string, entry: Entry<V>, now: number): void => {
        found.delete(key);
        unknown.delete(key);
        const space = entry.loaded?.scope === undefined ? unknown : found;
        space.set(key, entry);
        for (const [oldest, { askedAt }] of space) {
          if (now - askedAt < keptMs && space.size <= o.maxEntries) return;
          space.delete(oldest);
        }
      };
      const request = (load: () => Promise<V>, now: number): Entry<V> => ({
        answer: load(),
        loaded: undefined,
        ...changes.requested(now),
        reload: undefined,
      });

      const loadNew = (key: string, load: () => Promise<V>, now: number): Promise<V> => {
        const countBefore = changes.count();
        const entry = request(load, now);
        put(key, entry, now);
        const settle = (value: V): void => {
          entry.loaded = { scope: scopeOf(value, key) };
          const known = find(key);
          // It is in its place already.
          if (known === entry && entry.loaded.scope === undefined) return;
          const isNewest = known?.loaded === undefined || known.askedAt <= entry.askedAt;
          // The entry itself may have been dropped since, to limit their number.
          if (isNewest && changes.count() === countBefore) put(key, entry, nowMs());
        };
        entry.answer.then(settle, () => unknown.get(key) === entry && unknown.delete(key));
        return entry.answer;
      };

      /** Loads a value that replaces the old one, which stays until then unless a change drops it. */
      const startReload = (key: string, old: Entry<V>, load: () => Promise<V>, now: number): Reload<V> => {
        const countBefore = changes.count();
        const entry = request(load, now);
        const replaceOld = (value: V): V => {
          if (found.get(key) !== old) return value;
          found.delete(key);
          const scope = scopeOf(value, key);
          entry.loaded = { scope };
          // Changes meanwhile did not concern the old value's scope, or they would have dropped it.
          if (scope === old.loaded?.scope || changes.count() === countBefore) put(key, entry, nowMs());
          return value;
        };
        const loading = entry.answer.then(replaceOld).finally(() => (reload.isPending = false));
        const standIn = (): Promise<V> | undefined =>
          found.get(key) === old && mayStandIn(old, nowMs()) ? old.answer : undefined;
        const answer = orStandIn({ loading, standIn, onAway, patienceMs, timers });
        const reload: Reload<V> = { loading, answer, startedAt: now, isPending: true };
        old.reload = reload;
        return reload;
      };
      const reloadOrStandIn = (
        key: string,
        old: Entry<V>,
        load: () => Promise<V>,
        now: number,
      ): Promise<V> => {
        const last = old.reload;
        const lastAge = now - (last?.startedAt ?? 0);
        if (!mayStandIn(old, now)) {
          const isShared = last?.isPending === true && lastAge < uncertainMs;
          return isShared ? last.loading : startReload(key, old, load, now).loading;
        }
        const isPaused = now < awayUntil;
        const isTried = last !== undefined && (last.isPending || (isPaused && lastAge < AWAY_PAUSE_MS));
        if (isTried) return isPaused || lastAge >= patienceMs ? old.answer : last.answer;
        const { answer } = startReload(key, old, load, now);
        return isPaused ? old.answer : answer;
      };

      return {
        get(key, load) {
          const now = nowMs();
          const known = find(key);
          if (known === undefined) return loadNew(key, load, now);
          if (isUsable(known, now)) return known.answer;
          return isKept(known, now) ? reloadOrStandIn(key, known, load, now) : loadNew(key, load, now);
        },
        forget: (key) => void found.delete(key),
      };
    },
  };
}
