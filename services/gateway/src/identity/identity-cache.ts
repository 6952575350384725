import type { Clock } from '@fairlead/service-kit/clock';

/** While every change is heard of. */
const LONG_TTL_MS = 30_000;
/** Longest time that a change of a key, user or account may go unnoticed (completion.md "Everywhere"). */
const SHORT_TTL_MS = 2_000;
/** Bounds what a flood of unknown keys can occupy. */
const MAX_ENTRIES = 10_000;

type Find<T> = (key: string) => Promise<T | undefined>;

interface Entry<T> {
  readonly answer: Promise<T | undefined>;
  /** Undefined until the answer is there. */
  found: { readonly accountId: string | undefined } | undefined;
  readonly askedAt: number;
  readonly session: number | undefined;
}

/** Caches of what belongs to accounts, which share one subscription to the changes of identity data. */
export interface IdentityCaches {
  /**
   * `find`, remembered by its key: a record, and that there is none. `accountOf` says whose record it is. At most 10 000
   * answers are kept.
   */
  cache<T>(find: Find<T>, accountOf: (found: T) => string): Find<T>;
}

/**
 * Remembers what credentials resolve to, so that authentication is not a query a request: for 30 seconds in one
 * `session` of change messages, for two seconds otherwise. For 30 seconds from a change on, the account's records and
 * unknown ones are remembered for two seconds only: a change is announced before it is written. Simultaneous questions
 * share one query, for two seconds; a failed query is not remembered.
 */
export function createIdentityCaches(o: {
  readonly clock: Clock;
  /** Subscribes to the changes of accounts. */
  readonly hear: (onChange: (accountId: string) => void) => { session(): number | undefined };
  readonly maxEntries?: number;
}): IdentityCaches {
  const { clock, maxEntries = MAX_ENTRIES } = o;
  const caches: ((accountId: string) => void)[] = [];
  /** Accounts that change, and until when that is so; the last one ends last. */
  const changing = new Map<string, number>();

  const isChanging = (accountId: string | undefined, now: number): boolean => {
    if (accountId !== undefined) return (changing.get(accountId) ?? 0) > now;
    // A record that was missing may be the one that was made.
    return [...changing.values()].some((until) => until > now);
  };
  const isFresh = (entry: Entry<unknown>, now: number): boolean => {
    const age = now - entry.askedAt;
    if (age < SHORT_TTL_MS) return true;
    // A question that hangs (a frozen database) must not hold up who asks after the database is back.
    if (entry.found === undefined) return false;
    if (age >= LONG_TTL_MS || entry.session === undefined || entry.session !== changes.session())
      return false;
    return !isChanging(entry.found.accountId, now);
  };

  const changes = o.hear((accountId) => {
    const now = clock.now().getTime();
    for (const [changed, until] of changing) if (until <= now) changing.delete(changed);
    changing.set(accountId, now + LONG_TTL_MS);
    for (const forget of caches) forget(accountId);
  });

  return {
    cache<T>(find: Find<T>, accountOf: (found: T) => string): Find<T> {
      const entries = new Map<string, Entry<T>>();
      caches.push((accountId) => {
        for (const [key, { found }] of entries) {
          // What is being asked may be answered from before the change.
          if (found?.accountId === undefined || found.accountId === accountId) entries.delete(key);
        }
      });
      return (key) => {
        const now = clock.now().getTime();
        const known = entries.get(key);
        if (known !== undefined && isFresh(known, now)) return known.answer;
        const answer = find(key);
        const entry: Entry<T> = { answer, found: undefined, askedAt: now, session: changes.session() };
        entries.delete(key);
        entries.set(key, entry);
        answer.then(
          (found) => (entry.found = { accountId: found === undefined ? undefined : accountOf(found) }),
          () => entries.get(key) === entry && entries.delete(key),
        );
        const [oldest] = entries.keys();
        if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
        return answer;
      };
    },
  };
}
