import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyOwner } from './domain/records.ts';

/** Longest time that a change of a key, user or account may go unnoticed (completion.md "Everywhere"). */
const TTL_MS = 2000;
/** Bounds what a flood of unknown keys can occupy. */
const MAX_ENTRIES = 10_000;

type Find = (hash: string) => Promise<KeyOwner | undefined>;

/**
 * `find` with answers kept for two seconds, absent ones too, so that authentication is not a query a request.
 * Simultaneous questions share one query; a failed query is not kept.
 */
export function cacheKeyOwners(find: Find, clock: Clock, maxEntries: number = MAX_ENTRIES): Find {
  const entries = new Map<
    string,
    { readonly owner: Promise<KeyOwner | undefined>; readonly staleAt: number }
  >();
  return (hash) => {
    const now = clock.now().getTime();
    const known = entries.get(hash);
    if (known !== undefined && now < known.staleAt) return known.owner;
    const owner = find(hash);
    entries.delete(hash);
    entries.set(hash, { owner, staleAt: now + TTL_MS });
    owner.catch(() => {
      if (entries.get(hash)?.owner === owner) entries.delete(hash);
    });
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return owner;
  };
}
