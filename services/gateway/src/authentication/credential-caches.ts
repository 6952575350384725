import { revocationKey } from '@fairlead/access/access-token';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions, ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { OwnedKey, Owner } from './domain/owner.ts';
import type { CredentialLookup, UserReference } from './ports/credential-lookup.ts';

/** Age up to which an entry is used without a lookup, while no change can have been missed. */
const FRESH_MS = 30_000;
/**
 * Age up to which an entry is used while changes may have been missed: the longest time that a change of a key, user or account may go
 * unnoticed (rows completion.everywhere.62 to 65).
 */
const UNCERTAIN_MS = 2_000;
/** Age up to which an entry is used while identity does not answer and no change can have been missed. */
const AWAY_MS = 600_000;
/** Limits the memory that a flood of unknown keys can occupy. */
const MAX_ENTRIES = 10_000;

/** Caches of identity data, scoped by account id. Identity announces a change of an account before it writes it. */
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

/** Cached lookups of credentials and users, for requests and for the steps of workflows. */
export function cacheCredentials(caches: ChangeCaches, lookup: CredentialLookup): CredentialLookup {
  const keys = caches.open<OwnedKey | undefined>((key) => key?.owner.member.accountId);
  const tokenOwners = caches.open<Owner | undefined>((owner) => owner?.member.accountId);
  const users = caches.open<Owner | undefined>((owner) => owner?.member.accountId);
  return {
    findKey: (hash) => keys.get(hash, () => lookup.findKey(hash)),
    findTokenOwner: (token) => tokenOwners.get(revocationKey(token), () => lookup.findTokenOwner(token)),
    findUser: (reference) => users.get(keyOf(reference), () => lookup.findUser(reference)),
  };
}

function keyOf({ accountId, userId, keyId = '' }: UserReference): string {
  // A space separates the ids, because no id contains one.
  return `${accountId} ${userId} ${keyId}`;
}
