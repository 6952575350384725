import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';
import { generateApiKey, hashApiKey } from '@fairlead/access/api-key';
import { newAccount, newKeyRecord, newUser } from '../domain/new-records.ts';
import type { Account, AccountChange, User } from '../domain/records.ts';
import { requireLowerCase } from '../domain/email.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** An account to create, with its owner. A setting that is left out has its default. */
export interface NewAccount extends AccountChange {
  readonly name: string;
  /**
   * In lower case. A person with a user in another account gets a new one in this account. Absent: a generated address that cannot receive
   * mail (RFC 2606 "invalid").
   */
  readonly ownerEmail?: string | undefined;
  /** Absent: the part of the e-mail before the @. */
  readonly ownerName?: string | undefined;
  /** Absent: the owner has the API key, and signs in through an upstream provider or not at all. */
  readonly ownerPassword?: Secret | undefined;
}

export interface CreatedAccount {
  readonly account: Account;
  readonly owner: User;
  /** The owner's first key, which is not stored. */
  readonly apiKey: Secret;
}

interface CreateAccountDeps {
  readonly accounts: Pick<AccountStore, 'insertWithOwner'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** The name of an owner's first key. */
const FIRST_KEY_NAME = 'First key';

/**
 * Creates an account with an owner and the owner's first API key. It is published like any change, because a replica of the gateway may
 * have cached that the account or key does not exist.
 */
export async function createAccount(
  { accounts, passwords, changeIdentity, clock }: CreateAccountDeps,
  ctx: RequestContext,
  { name, ownerEmail, ownerName, ownerPassword, ...settings }: NewAccount,
): Promise<CreatedAccount> {
  requireLowerCase('ownerEmail', ownerEmail);
  const passwordHash = ownerPassword === undefined ? null : await passwords.hash(ownerPassword);
  const now = clock.now();
  const account = newAccount(prefixedId('acc'), name, now, settings);
  const email = ownerEmail ?? unreachableEmail(account.id);
  const owner = newUser(
    prefixedId('usr'),
    { accountId: account.id, email, name: ownerName, role: 'owner', isActive: true },
    now,
  );
  const apiKey = generateApiKey();
  const key = newKeyRecord(prefixedId('key'), apiKey, {
    accountId: account.id,
    userId: owner.id,
    name: FIRST_KEY_NAME,
    expiresAt: null,
    now,
  });
  const keyHash = hashApiKey(apiKey);
  await changeIdentity(account.id, () =>
    accounts.insertWithOwner(ctx, { account, owner, passwordHash, key, keyHash }),
  );
  return { account, owner, apiKey };
}

/** Derives an address from the account id, without underscores (invalid in a domain) and capitals (invalid in our addresses). */
function unreachableEmail(accountId: string): string {
  return `owner@${accountId.replace('_', '-').toLowerCase()}.invalid`;
}
