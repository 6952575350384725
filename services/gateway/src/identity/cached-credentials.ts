import type { KeyOwner, Member } from './domain/records.ts';
import type { IdentityCaches } from './identity-cache.ts';

/** Where credentials are looked up. */
export interface CredentialStore {
  /** The API key of that hash with its user and account; undefined where one of the three is missing. */
  findKeyOwner(hash: string): Promise<KeyOwner | undefined>;
  /** That user of that account; undefined where there is none. */
  findMember(accountId: string, userId: string): Promise<Member | undefined>;
}

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
