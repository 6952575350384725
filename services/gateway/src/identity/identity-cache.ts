import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions, ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { KeyOwner, Member } from './domain/records.ts';
import type { CredentialStore } from './ports/credential-store.ts';

/** While no change can be missed. */
const FRESH_MS = 30_000;
/** Longest time that a change of a key, user or account may go unnoticed (completion.md "Everywhere"). */
const UNCERTAIN_MS = 2_000;
/** While their source is away and no change can have been missed. */
const AWAY_MS = 10 * 60_000;
/** Of credentials that exist, and as many of others: limits the memory that a flood of unknown keys can occupy. */
const MAX_ENTRIES = 10_000;

/**
 * Caches of account data, scoped by account id. A change of an account is announced before it is written. What was found
 * is used for ten minutes while its source is away (docs/adr/0009).
 */
export function createIdentityCaches(o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'>): ChangeCaches {
  return createChangeCaches({
    ...o,
    freshMs: FRESH_MS,
    uncertainMs: UNCERTAIN_MS,
    announcedMs: FRESH_MS,
    awayMs: AWAY_MS,
    maxEntries: MAX_ENTRIES,
  });
}

/** The lookups of `store` that authentication does on each request, cached. */
export function cacheCredentials(caches: ChangeCaches, store: CredentialStore): CredentialStore {
  const owners = caches.open<KeyOwner | undefined>((found) => found?.account.id);
  const members = caches.open<Member | undefined>((found) => found?.account.id);
  return {
    findKeyOwner: (hash) => owners.get(hash, () => store.findKeyOwner(hash)),
    // No id contains a space.
    findMember: (accountId, userId) =>
      members.get(`${accountId} ${userId}`, () => store.findMember(accountId, userId)),
  };
}
