import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyOwner } from './domain/records.ts';

/** While every change is heard of. */
const LONG_TTL_MS = 30_000;
/** Longest time that a change of a key, user or account may go unnoticed (completion.md "Everywhere"). */
const SHORT_TTL_MS = 2_000;
/** Bounds what a flood of unknown keys can occupy. */
const MAX_ENTRIES = 10_000;

type Find = (hash: string) => Promise<KeyOwner | undefined>;

interface Entry {
  readonly answer: Promise<KeyOwner | undefined>;
  /** Undefined until the answer is there. */
  found: { readonly accountId: string | undefined } | undefined;
  readonly askedAt: number;
  readonly session: number | undefined;
}

/**
 * Remembers who owns a key, and that nobody does, so that authentication is not a query a request: for 30 seconds in one
 * `session` of change messages, for two seconds otherwise. For 30 seconds from a change on, the account's keys and
 * unknown ones are remembered for two seconds only: a change is announced before it is written. Simultaneous questions
 * share one query, for two seconds; a failed query is not remembered.
 */
export function cacheKeyOwners(
  find: Find,
  o: {
    readonly clock: Clock;
    /** Subscribes to the changes of accounts. */
    readonly hear: (onChange: (accountId: string) => void) => { session(): number | undefined };
    readonly maxEntries?: number;
  },
): Find {
  const { clock, maxEntries = MAX_ENTRIES } = o;
  const entries = new Map<string, Entry>();
  /** Accounts that change, and until when that is so; the last one ends last. */
  const changing = new Map<string, number>();

  const isChanging = ({ found }: Entry, now: number): boolean => {
    if (found?.accountId !== undefined) return (changing.get(found.accountId) ?? 0) > now;
    // A key that nobody had may be the one that was made.
    return [...changing.values()].some((until) => until > now);
  };
  const isFresh = (entry: Entry, now: number): boolean => {
    const age = now - entry.askedAt;
    if (age < SHORT_TTL_MS) return true;
    // A question that hangs (a frozen database) must not hold up who asks after the database is back.
    if (entry.found === undefined) return false;
    if (age >= LONG_TTL_MS || entry.session === undefined || entry.session !== changes.session())
      return false;
    return !isChanging(entry, now);
  };

  const changes = o.hear((accountId) => {
    const now = clock.now().getTime();
    for (const [changed, until] of changing) if (until <= now) changing.delete(changed);
    changing.set(accountId, now + LONG_TTL_MS);
    for (const [hash, { found }] of entries) {
      // What is being asked may be answered from before the change.
      if (found?.accountId === undefined || found.accountId === accountId) entries.delete(hash);
    }
  });

  return (hash) => {
    const now = clock.now().getTime();
    const known = entries.get(hash);
    if (known !== undefined && isFresh(known, now)) return known.answer;
    const answer = find(hash);
    const entry: Entry = { answer, found: undefined, askedAt: now, session: changes.session() };
    entries.delete(hash);
    entries.set(hash, entry);
    answer.then(
      (owner) => (entry.found = { accountId: owner?.account.id }),
      () => entries.get(hash) === entry && entries.delete(hash),
    );
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return answer;
  };
}
