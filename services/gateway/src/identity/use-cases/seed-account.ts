import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { generateApiKey, hashApiKey } from '../domain/api-key.ts';
import type { Account, ApiKeyRecord, User } from '../domain/records.ts';
import { hashPassword, verifyPassword } from '../password.ts';
import { newAccount } from './create-account.ts';
import { newKeyRecord } from './create-api-key.ts';
import { newUser } from './create-user.ts';

/** An account to seed: its name and its owner's. */
export interface SeedPlan {
  readonly accountName: string;
  readonly ownerName: string;
  readonly ownerEmail: string;
}

/** What opens a seeded account; the only place where these secrets are kept is the seed's file. */
export interface SeedSecrets {
  readonly accountId: string;
  readonly apiKey: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
}

/** The storage that seeding needs. The `put` methods leave what exists as it is. */
export interface SeedStore {
  /** The account that an owner of that e-mail has; the oldest where there are several. */
  findOwnedAccount(email: string): Promise<string | undefined>;
  findUser(
    accountId: string,
    email: string,
  ): Promise<{ readonly id: string; readonly passwordHash: string | null } | undefined>;
  putAccount(account: Account): Promise<void>;
  insertUser(user: User, passwordHash: string): Promise<void>;
  setPasswordHash(userId: string, passwordHash: string, now: Date): Promise<void>;
  putApiKey(key: ApiKeyRecord, hash: string): Promise<void>;
  /** Revokes the account's keys of that name but the one of that hash. */
  revokeOtherKeys(
    keys: { readonly accountId: string; readonly name: string; readonly hash: string },
    now: Date,
  ): Promise<void>;
}

/** The name of the key that seeding makes. */
const KEY_NAME = 'Seeded key';
const PASSWORD_LENGTH = 24;

/** New secrets for `plan`. An account that its owner has already, whose secrets were lost, keeps its id. */
export async function proposeSecrets(store: SeedStore, plan: SeedPlan): Promise<SeedSecrets> {
  return {
    accountId: (await store.findOwnedAccount(plan.ownerEmail)) ?? prefixedId('acc'),
    apiKey: generateApiKey().reveal(),
    ownerEmail: plan.ownerEmail,
    ownerPassword: randomBase62(PASSWORD_LENGTH),
  };
}

/**
 * Makes the account of `plan` open with `secrets`: account, owner, API key. Idempotent: what is so already stays
 * untouched. A password that differs is set, and an earlier seeded key of the account is revoked, so that lost secrets
 * open nothing.
 */
export async function seedAccount(
  { store, clock }: { readonly store: SeedStore; readonly clock: Clock },
  plan: SeedPlan,
  secrets: SeedSecrets,
): Promise<void> {
  const now = clock.now();
  const { accountId } = secrets;
  await store.putAccount(newAccount(accountId, plan.accountName, now));
  const userId = await ownerOf(store, plan, secrets, now);
  const apiKey = new Secret(secrets.apiKey);
  const key = newKeyRecord(apiKey, { accountId, userId, name: KEY_NAME, expiresAt: null }, now);
  const hash = hashApiKey(apiKey);
  await store.putApiKey(key, hash);
  await store.revokeOtherKeys({ accountId, name: KEY_NAME, hash }, now);
}

async function ownerOf(
  store: SeedStore,
  plan: SeedPlan,
  { accountId, ownerEmail, ownerPassword }: SeedSecrets,
  now: Date,
): Promise<string> {
  const password = new Secret(ownerPassword);
  const existing = await store.findUser(accountId, ownerEmail);
  if (existing === undefined) {
    const owner = newUser(
      { accountId, email: ownerEmail, name: plan.ownerName, role: 'owner', isActive: true },
      now,
    );
    await store.insertUser(owner, await hashPassword(password));
    return owner.id;
  }
  const { id, passwordHash } = existing;
  if (passwordHash === null || !(await verifyPassword(password, passwordHash))) {
    await store.setPasswordHash(id, await hashPassword(password), now);
  }
  return id;
}
