import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { hashApiKey } from '@fairlead/access/api-key';
import { newAccount, newKeyRecord, newUser } from '../domain/new-records.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { SeedStore } from '../ports/seed-store.ts';

/** An account to seed: its name and its owner. */
export interface SeedPlan {
  readonly accountName: string;
  readonly ownerName: string;
  readonly ownerEmail: string;
}

/** The secrets of a seeded account, which are stored only in the seed file. */
export interface SeedSecrets {
  readonly accountId: string;
  readonly apiKey: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
}

export interface SeedAccountDeps {
  readonly store: SeedStore;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
}

/** The name of the key that seeding creates. */
const KEY_NAME = 'Seeded key';

/**
 * Ensures that the account of `plan` exists with `secrets`: account, owner, API key. Idempotent: matching records stay
 * unchanged. A different password is replaced, and an earlier seeded key of the account is revoked, so that lost
 * secrets give no access.
 */
export async function seedAccount(
  deps: SeedAccountDeps,
  plan: SeedPlan,
  secrets: SeedSecrets,
): Promise<void> {
  const { store } = deps;
  const now = deps.clock.now();
  const { accountId } = secrets;
  await store.putAccount(newAccount(accountId, plan.accountName, now));
  const userId = await ownerOf(deps, plan, secrets, now);
  const apiKey = new Secret(secrets.apiKey);
  const key = newKeyRecord(prefixedId('key'), apiKey, {
    accountId,
    userId,
    name: KEY_NAME,
    expiresAt: null,
    now,
  });
  const hash = hashApiKey(apiKey);
  await store.putApiKey(key, hash);
  await store.revokeOtherKeys({ accountId, name: KEY_NAME, hash }, now);
}

async function ownerOf(
  { store, passwords }: SeedAccountDeps,
  plan: SeedPlan,
  { accountId, ownerEmail, ownerPassword }: SeedSecrets,
  now: Date,
): Promise<string> {
  const password = new Secret(ownerPassword);
  const existing = await store.findUser(accountId, ownerEmail);
  if (existing === undefined) {
    const owner = newUser(
      prefixedId('usr'),
      { accountId, email: ownerEmail, name: plan.ownerName, role: 'owner', isActive: true },
      now,
    );
    await store.insertUser(owner, await passwords.hash(password));
    return owner.id;
  }
  const { id, passwordHash } = existing;
  if (passwordHash === null || !(await passwords.verify(password, passwordHash))) {
    await store.setPasswordHash(id, await passwords.hash(password), now);
  }
  return id;
}
