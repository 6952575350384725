import type { KeyOwner, Member } from './domain/records.ts';
import type { IdentityCaches } from './identity-cache.ts';
import type { CredentialStore } from './ports/credential-store.ts';

// In no id.
const SEPARATOR = ' ';

/** The lookups of `store`, remembered by `caches`: what authentication asks on each request. */
export function cacheCredentials(caches: IdentityCaches, store: CredentialStore): CredentialStore {
  const findKeyOwner = caches.cache(
    (hash) => store.findKeyOwner(hash),
    ({ account }: KeyOwner) => account.id,
  );
  const findMember = caches.cache(
    (key) => {
      const [accountId = '', userId = ''] = key.split(SEPARATOR);
      return store.findMember(accountId, userId);
    },
    ({ account }: Member) => account.id,
  );
  return {
    findKeyOwner,
    findMember: (accountId, userId) => findMember(accountId + SEPARATOR + userId),
  };
}
