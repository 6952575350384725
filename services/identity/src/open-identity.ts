import type { ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { FindOpenAccounts } from 'CROSS:services/gateway/src/authentication/open-accounts.ts';
import type { ModuleResources } from 'CROSS:services/gateway/src/module-resources.ts';
import { announceIdentityChanges, subscribeToIdentityChanges } from './events/identity-changes.ts';
import { createIdentityAdministration } from './identity-administration.ts';
import type { IdentityAdministration } from './identity-administration.ts';
import { cacheCredentials, createIdentityCaches } from './identity-cache.ts';
import { createKeyUses } from './key-uses.ts';
import type { KeyUses } from './key-uses.ts';
import { argon2Passwords } from './passwords/password.ts';
import type { CredentialStore } from './ports/credential-store.ts';
import type { ChangeIdentity } from './ports/identity-change.ts';
import { accountRepository } from './storage/account.repository.ts';
import { apiKeyRepository } from './storage/api-key.repository.ts';
import { credentialRepository } from './storage/credential.repository.ts';
import { openAccounts } from './storage/open-accounts.ts';
import { userRepository } from './storage/user.repository.ts';

/** Accounts, users and API keys. */
export interface IdentityModule {
  readonly administration: IdentityAdministration;
  /** The lookups of authentication, cached. */
  readonly credentials: CredentialStore;
  readonly caches: ChangeCaches;
  readonly keyUses: KeyUses;
  readonly changeIdentity: ChangeIdentity;
  readonly findOpenAccounts: FindOpenAccounts;
}

/** Opens the identity module: accounts, users, API keys. */
export function openIdentity({ store, nats, clock, log, closers }: ModuleResources): IdentityModule {
  const credentials = credentialRepository(store);
  const apiKeys = apiKeyRepository(store);
  const changeIdentity = announceIdentityChanges({ nats, log });
  const caches = createIdentityCaches({
    clock,
    subscribe: (onChange) => subscribeToIdentityChanges(nats, onChange),
  });
  const keyUses = createKeyUses({ store: apiKeys, clock, log });
  closers.push('key uses', () => keyUses.close());
  return {
    administration: createIdentityAdministration({
      accounts: accountRepository(store),
      users: userRepository(store),
      apiKeys,
      credentials,
      passwords: argon2Passwords,
      changeIdentity,
      clock,
    }),
    credentials: cacheCredentials(caches, credentials),
    caches,
    keyUses,
    changeIdentity,
    findOpenAccounts: openAccounts(store),
  };
}
