import type { ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { KeyOwner, Member } from './domain/records.ts';
import type { CredentialStore } from './ports/credential-store.ts';

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
