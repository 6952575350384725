import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { generateApiKey, hashApiKey } from '../domain/api-key.ts';
import type { Account, Membership, User } from '../domain/records.ts';
import { hashPassword, verifyPassword } from '../password.ts';

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
export interface IdentityStore {
  findUserByEmail(email: string): Promise<{ readonly id: string; readonly passwordHash: string } | undefined>;
  /** An account that the user owns. */
  findOwnedAccount(userId: string): Promise<string | undefined>;
  putAccount(account: Account, now: Date): Promise<void>;
  insertUser(user: User, passwordHash: string, now: Date): Promise<void>;
  setPasswordHash(userId: string, passwordHash: string, now: Date): Promise<void>;
  putMembership(membership: Membership, now: Date): Promise<void>;
  putApiKey(
    key: {
      readonly accountId: string;
      readonly userId: string;
      readonly name: string;
      readonly hash: string;
    },
    now: Date,
  ): Promise<void>;
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
export async function proposeSecrets(store: IdentityStore, plan: SeedPlan): Promise<SeedSecrets> {
  const owner = await store.findUserByEmail(plan.ownerEmail);
  const accountId = owner === undefined ? undefined : await store.findOwnedAccount(owner.id);
  return {
    accountId: accountId ?? prefixedId('acc'),
    apiKey: generateApiKey().reveal(),
    ownerEmail: plan.ownerEmail,
    ownerPassword: randomBase62(PASSWORD_LENGTH),
  };
}

/**
 * Makes the account of `plan` open with `secrets`: account, owner, membership, API key. Idempotent: what is so already
 * stays untouched. A password that differs is set, and an earlier seeded key of the account is revoked, so that lost
 * secrets open nothing.
 */
export async function seedAccount(
  { store, clock }: { readonly store: IdentityStore; readonly clock: Clock },
  plan: SeedPlan,
  secrets: SeedSecrets,
): Promise<void> {
  const now = clock.now();
  const { accountId } = secrets;
  await store.putAccount({ id: accountId, name: plan.accountName, isRbacEnabled: false }, now);
  const userId = await ownerOf(store, plan, secrets, now);
  await store.putMembership({ accountId, userId, role: 'owner', isActive: true }, now);
  const hash = hashApiKey(new Secret(secrets.apiKey));
  await store.putApiKey({ accountId, userId, name: KEY_NAME, hash }, now);
  await store.revokeOtherKeys({ accountId, name: KEY_NAME, hash }, now);
}

async function ownerOf(
  store: IdentityStore,
  plan: SeedPlan,
  secrets: SeedSecrets,
  now: Date,
): Promise<string> {
  const password = new Secret(secrets.ownerPassword);
  const existing = await store.findUserByEmail(secrets.ownerEmail);
  if (existing === undefined) {
    const id = prefixedId('usr');
    await store.insertUser(
      { id, email: secrets.ownerEmail, name: plan.ownerName },
      await hashPassword(password),
      now,
    );
    return id;
  }
  if (!(await verifyPassword(password, existing.passwordHash))) {
    await store.setPasswordHash(existing.id, await hashPassword(password), now);
  }
  return existing.id;
}
