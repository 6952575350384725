import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import { createIdentityAdministration } from '../identity-administration.ts';
import type { IdentityAdministration } from '../identity-administration.ts';
import { argon2Passwords } from '../passwords/password.ts';
import { accountRepository } from '../storage/account.repository.ts';
import { apiKeyRepository } from '../storage/api-key.repository.ts';
import { credentialRepository } from '../storage/credential.repository.ts';
import { userRepository } from '../storage/user.repository.ts';

/** Identity administration on a test's store; by default no change is published. */
export function testAdministration(
  store: MongoStore,
  o: { readonly clock?: Clock; readonly changeIdentity?: ChangeIdentity } = {},
): IdentityAdministration {
  return createIdentityAdministration({
    accounts: accountRepository(store),
    users: userRepository(store),
    apiKeys: apiKeyRepository(store),
    credentials: credentialRepository(store),
    passwords: argon2Passwords,
    changeIdentity: o.changeIdentity ?? ((_accountId, write) => write()),
    clock: o.clock ?? systemClock,
  });
}
