import type { Clock } from '../clock.ts';

/** Values of one kind, each cached under a key. */
interface ChangeCache<V> {
  /** The cached value, or that of `load`. A failure is not cached. */
  get(key: string, load: () => Promise<V>): Promise<V>;
}

/** Caches that share one subscription to changes. */
export interface ChangeCaches {
  /**
   * Opens a cache. `scopeOf` returns the scope whose changes concern a value, such as the account that it belongs to;
   * undefined if every change does, as for a record that was not found. A value without a scope is cached only while no
   * change can be missed, so that a record that is created is found at once.
   */
  open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V>;
}

/** How long values are used, and what invalidates them. Times are in milliseconds. */
export interface ChangeCacheOptions {
  /**
   * Subscribes to the changes; `onChange` takes the scope of each, or undefined if any scope may have changed.
   * `session` identifies the period in which no change was missed (service-kit nats/nats.ts).
   */
  readonly subscribe: (onChange: (scope: string | undefined) => void) => { session(): number | undefined };
  readonly clock: Clock;
  /** How long a value is used within the session in which it was loaded. */
  readonly freshMs: number;
  /**
   * How long it is used otherwise; 0: not at all. Callers also share one load for this long, so a load must not be
   * cancelled with its caller unless this is 0.
   */
  readonly uncertainMs: number;
  /** How long a write may follow the change that announces it; 0 if every change follows its write. */
  readonly announcedMs: number;
  /** The most values that each cache keeps; the oldest are dropped first. */
  readonly maxEntries: number;
}

interface Entry<V> {
  readonly answer: Promise<V>;
  /** Undefined until the value is loaded. */
  loaded: { readonly scope: string | undefined } | undefined;
  readonly askedAt: number;
  readonly session: number | undefined;
}

/**
 * Caches for data that changes rarely but must be correct soon (docs/adr/0009): messages make a change visible at once,
 * and time bounds the effect of a lost message. A value is used for `freshMs` while no message can have been missed since
 * it was requested, and for `uncertainMs` otherwise, unless it has no scope. A change drops the values of its scope and
 * those whose load is in progress; values of its scope that are requested in the `announcedMs` after it are used for
 * `uncertainMs` only.
 */
export function createChangeCaches(o: ChangeCacheOptions): ChangeCaches {
  const { clock, freshMs, uncertainMs } = o;
  const caches: ((scope: string | undefined) => void)[] = [];
  /** Until when an announced write may follow, by scope; the earliest first. */
  const changing = new Map<string | undefined, number>();
  let anyChangingUntil = 0;

  /** Whether no announced write of the scope could follow any more when a value was requested. */
  const isSettled = (scope: string | undefined, askedAt: number): boolean =>
    scope === undefined
      ? // A missing record may be the one that is written.
        askedAt >= anyChangingUntil
      : askedAt >= (changing.get(scope) ?? 0) && askedAt >= (changing.get(undefined) ?? 0);
  const isOfSession = ({ session }: Entry<unknown>): boolean =>
    session !== undefined && session === changes.session();
  const isUsable = (entry: Entry<unknown>, now: number): boolean => {
    const { askedAt, loaded } = entry;
    const age = now - askedAt;
    // A load that hangs (a frozen database) must not delay callers who arrive after the database is back.
    if (loaded === undefined) return age < uncertainMs;
    if (age < uncertainMs && loaded.scope !== undefined) return true;
    if (age >= freshMs || !isOfSession(entry)) return false;
    return age < uncertainMs || isSettled(loaded.scope, askedAt);
  };

  const changes = o.subscribe((scope) => {
    const now = clock.now().getTime();
    for (const [changed, until] of changing) {
      // Values that were requested before then are no longer used.
      if (now - until < freshMs) break;
      changing.delete(changed);
    }
    if (o.announcedMs > 0) {
      anyChangingUntil = now + o.announcedMs;
      changing.delete(scope);
      changing.set(scope, anyChangingUntil);
    }
    for (const drop of caches) drop(scope);
  });

  return {
    open<V>(scopeOf: (answer: V, key: string) => string | undefined): ChangeCache<V> {
      // In the order of loading: the first entry becomes stale first.
      const entries = new Map<string, Entry<V>>();
      caches.push((scope) => {
        for (const [key, { loaded }] of entries) {
          // A load in progress may return data from before the change.
          const isConcerned = scope === undefined || loaded?.scope === undefined || loaded.scope === scope;
          if (isConcerned) entries.delete(key);
        }
      });
      const prune = (now: number): void => {
        for (const [key, { askedAt }] of entries) {
          if (now - askedAt < freshMs && entries.size <= o.maxEntries) return;
          entries.delete(key);
        }
      };
      return {
        get(key, load) {
          const now = clock.now().getTime();
          const known = entries.get(key);
          if (known !== undefined && isUsable(known, now)) return known.answer;
          const answer = load();
          const entry: Entry<V> = { answer, loaded: undefined, askedAt: now, session: changes.session() };
          entries.delete(key);
          entries.set(key, entry);
          prune(now);
          answer.then(
            (found) => (entry.loaded = { scope: scopeOf(found, key) }),
            () => entries.get(key) === entry && entries.delete(key),
          );
          return answer;
        },
      };
    },
  };
}
