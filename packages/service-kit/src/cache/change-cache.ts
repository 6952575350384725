import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';
import { trackChanges } from './change-tracker.ts';
import type { ChangeTrackerOptions, RequestTime } from './change-tracker.ts';
import { orStandIn } from './stand-in.ts';

/** Cached values of one kind, by key. */
interface ChangeCache<V> {
  /**
   * The cached value, or else the result of `load`. Failures are not cached. Rejects like `load`, unless an older
   * value can stand in (`awayMs`).
   */
  get(key: string, load: () => Promise<V>): Promise<V>;
  /** Drops the value of a key, to limit memory. */
  forget(key: string): void;
}

/** Caches that share one subscription to changes. */
export interface ChangeCaches {
  /**
   * Opens a cache. `scopeOf` returns the scope of a value, whose changes invalidate it, such as its account;
   * undefined if every change does, as for a record that was not found. A value without a scope is cached only while
   * no change can be missed, so that a new record is found at once, and it never stands in for a value that cannot be
   * loaded.
   */
  open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V>;
}

/** The lifetimes of values, and the changes that invalidate them. Times are in milliseconds. */
export interface ChangeCacheOptions extends ChangeTrackerOptions {
  /** Lifetime of a value within the session in which it was loaded. */
  readonly freshMs: number;
  /**
   * Lifetime otherwise; 0: none. Callers also share one load for this long, so a load must not be cancelled together
   * with its caller, unless this is 0.
   */
  readonly uncertainMs: number;
  /**
   * Time for which a value of this session may stand in for one that cannot be loaded because its source is away (the
   * load fails with UNAVAILABLE or TIMEOUT, or takes longer than `patienceMs`). Absent: none. Such a load continues
   * without its callers, so it must not be cancelled together with them, and must end by itself.
   */
  readonly awayMs?: number;
  /** Time for which callers wait for a load before an older value stands in. Default: a quarter of a second. */
  readonly patienceMs?: number;
  /** The timers for `patienceMs`; default: those of the process. */
  readonly timers?: Timers;
  /**
   * Maximum values with a scope in each cache and, counted separately, maximum values without one and loads of
   * unknown keys. The oldest are dropped first. So requests for unknown records do not drop known ones.
   */
  readonly maxEntries: number;
}

interface Entry<V> extends RequestTime {
  readonly answer: Promise<V>;
  /** The value; undefined until it is loaded. */
  loaded: { readonly scope: string | undefined } | undefined;
  /** The last attempt to replace the value. */
  reload: Reload<V> | undefined;
}

interface Reload<V> {
  /** The new value. */
  readonly loading: Promise<V>;
  /** The new value, or the old one if it stands in. */
  readonly answer: Promise<V>;
  readonly startedAt: number;
  isPending: boolean;
}

const PATIENCE_MS = 250;
/** Time for which callers do not wait for a source that was found away, and the interval at which each key is tried meanwhile. */
const AWAY_PAUSE_MS = 1_000;

/**
 * Caches for data that changes rarely but must soon be correct (docs/adr/0009): messages make a change visible at
 * once, and lifetimes limit the effect of a lost message. A value lives for `freshMs` while no message can have been
 * missed since it was requested, and for `uncertainMs` otherwise, unless it has no scope. A change drops the values
 * of its scope, including those that are being loaded. While an announced write may still follow, new values of its
 * scope live for `uncertainMs`. An older value that no message concerned stands in while its source is away, for
 * `awayMs`.
 */
export function createChangeCaches(o: ChangeCacheOptions): ChangeCaches {
  const { clock, freshMs, uncertainMs, awayMs = 0, patienceMs = PATIENCE_MS, timers = systemTimers } = o;
  const keptMs = Math.max(freshMs, awayMs);
  const caches: ((scope: string | undefined) => void)[] = [];
  const changes = trackChanges(o, keptMs, (scope) => {
    for (const drop of caches) drop(scope);
  });
  /** Time until which the source counts as away. */
  let awayUntil = 0;
  const nowMs = (): number => clock.now().getTime();

  const isUsable = (entry: Entry<unknown>, now: number): boolean => {
    const { askedAt, loaded } = entry;
    const age = now - askedAt;
    // A load that hangs (a frozen database) must not delay callers that arrive after the database is back.
    if (loaded === undefined) return age < uncertainMs;
    if (age < uncertainMs && loaded.scope !== undefined) return true;
    if (age >= freshMs || !changes.isOfSession(entry)) return false;
    return age < uncertainMs || changes.isSettled(loaded.scope, entry);
  };
  /** Whether a value that is no longer fresh may stand in for one that cannot be loaded, now or later. */
  const isKept = ({ loaded, askedAt }: Entry<unknown>, now: number): boolean =>
    loaded?.scope !== undefined && now - askedAt < awayMs;
  const mayStandIn = (entry: Entry<unknown>, now: number): boolean =>
    isKept(entry, now) && changes.isOfSession(entry) && changes.isSettled(entry.loaded?.scope, entry);
  const onAway = (): void => {
    awayUntil = nowMs() + AWAY_PAUSE_MS;
  };

  return {
    open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V> {
      // Values with a scope. In both maps, the first entry expires first.
      const found = new Map<string, Entry<V>>();
      // Values without a scope, and first loads of keys: anybody can cause these.
      const unknown = new Map<string, Entry<V>>();
      caches.push((scope) => {
        // A load in progress may return data from before the change.
        unknown.clear();
        if (scope === undefined) found.clear();
        else for (const [key, { loaded }] of found) if (loaded?.scope === scope) found.delete(key);
      });
      const find = (key: string): Entry<V> | undefined => found.get(key) ?? unknown.get(key);
      /** Replaces the key's entry. */
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
          // The entry is already in the map.
          if (known === entry && entry.loaded.scope === undefined) return;
          const isNewest = known?.loaded === undefined || known.askedAt <= entry.askedAt;
          // The entry may have been dropped meanwhile because of the maximum.
          if (isNewest && changes.count() === countBefore) put(key, entry, nowMs());
        };
        entry.answer.then(settle, () => unknown.get(key) === entry && unknown.delete(key));
        return entry.answer;
      };

      /** Loads a value to replace the old one, which stays until then unless a change drops it. */
      const startReload = (key: string, old: Entry<V>, load: () => Promise<V>, now: number): Reload<V> => {
        const countBefore = changes.count();
        const entry = request(load, now);
        const replaceOld = (value: V): V => {
          if (found.get(key) !== old) return value;
          found.delete(key);
          const scope = scopeOf(value, key);
          entry.loaded = { scope };
          // Meanwhile, no change concerned the old value's scope; it would have dropped the value.
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
