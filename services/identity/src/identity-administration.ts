import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { Actor } from './domain/actor.ts';
import type { Account, AccountChange, ApiKeyRecord, Member, User } from './domain/records.ts';
import type { AccountStore, Listed } from './ports/account-store.ts';
import type { ApiKeyStore } from './ports/api-key-store.ts';
import type { CredentialStore, SignInStore } from './ports/credential-store.ts';
import type { ChangeIdentity } from './ports/identity-change.ts';
import { createAccount } from './use-cases/create-account.ts';
import type { CreatedAccount, NewAccount } from './use-cases/create-account.ts';
import { createApiKey } from './use-cases/create-api-key.ts';
import type { CreatedApiKey, NewApiKey } from './use-cases/create-api-key.ts';
import { createUser } from './use-cases/create-user.ts';
import type { NewUser } from './use-cases/create-user.ts';
import { updateUser } from './use-cases/update-user.ts';
import type { UserChange } from './use-cases/update-user.ts';
import type { PasswordHasher } from './ports/password-hasher.ts';
import type { UserStore } from './ports/user-store.ts';
import { createVerifyPassword } from './use-cases/verify-password.ts';
import type { VerifyPassword } from './use-cases/verify-password.ts';

/** All stored identity data of an account, except secrets and their hashes. */
export interface IdentityExport {
  readonly account: Account;
  /** Newest first; read lazily. */
  readonly users: AsyncIterable<User>;
  /** Includes revoked keys; newest first, read lazily. */
  readonly apiKeys: AsyncIterable<ApiKeyRecord>;
}

/**
 * Accounts, users and API keys, as administrators of an account, the operator and the authorization server use them. A
 * record of another account is NOT_FOUND. Every change applies on every replica within two seconds.
 */
export interface IdentityAdministration {
  /** The account; NOT_FOUND if it does not exist. */
  getAccount(ctx: RequestContext, accountId: string): Promise<Account>;
  /** Changes the given settings and budgets and returns the account; NOT_FOUND if it does not exist. */
  updateAccount(ctx: RequestContext, accountId: string, change: AccountChange): Promise<Account>;

  listUsers(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<User>>;
  /** CONFLICT for an e-mail taken in the actor's account; FORBIDDEN if an actor who is not an owner creates an owner. */
  createUser(ctx: RequestContext, actor: Actor, user: NewUser): Promise<User>;
  /**
   * CONFLICT for an e-mail taken in the actor's account and if no active owner would be left; FORBIDDEN if an actor who
   * is not an owner changes an owner or makes a user one.
   */
  updateUser(ctx: RequestContext, actor: Actor, userId: string, change: UserChange): Promise<User>;

  /** The keys that are not revoked. */
  listApiKeys(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<ApiKeyRecord>>;
  /** Returns the key, which cannot be read again. FORBIDDEN if an actor who is not an owner creates an owner's key. */
  createApiKey(ctx: RequestContext, actor: Actor, key: NewApiKey): Promise<CreatedApiKey>;
  /** NOT_FOUND for a key that is already revoked. */
  revokeApiKey(ctx: RequestContext, accountId: string, keyId: string): Promise<void>;

  /**
   * For sign-in: the users, active or not, each with its account, whose e-mail and password these are.
   * Several where one person chose the same password in several accounts: ask for the account. It takes the same time
   * whether or not any user has that e-mail.
   */
  readonly verifyPassword: VerifyPassword;
  /** The users of that e-mail, active or not, for a sign-in verified by an upstream provider. Sorted by the account's name. */
  findMembersByEmail(email: string): Promise<readonly Member[]>;
  /** That user of that account, active or not, read from the database; undefined if it does not exist. */
  findMember(accountId: string, userId: string): Promise<Member | undefined>;
  /** The accounts that a user may act in. A user belongs to one: see User. Empty if the user is unknown or inactive. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;

  /** For the operator. */
  listAccounts(ctx: RequestContext, page: Page): Promise<Listed<Account>>;
  /** For the operator: creates an account with its owner and the owner's first API key, atomically. */
  createAccountWithOwner(ctx: RequestContext, account: NewAccount): Promise<CreatedAccount>;
  /**
   * For the operator: from now on no credential of the account is accepted, and nothing can be created in it. Call it
   * again if it stopped half-way: the first time counts. NOT_FOUND for an unknown account.
   */
  beginErasure(ctx: RequestContext, accountId: string): Promise<Account>;
  /** For the operator, after all other data of the account is erased: erases keys and users, the account last. Repeatable. */
  eraseIdentity(ctx: RequestContext, accountId: string): Promise<void>;
  /** For the operator; NOT_FOUND for an unknown account. */
  exportIdentity(ctx: RequestContext, accountId: string): Promise<IdentityExport>;
}

/** The dependencies of identity administration. */
export interface IdentityDeps {
  readonly accounts: AccountStore;
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly credentials: CredentialStore & SignInStore;
  readonly passwords: PasswordHasher;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** Identity administration on the given storage; `changeIdentity` publishes every write. */
export function createIdentityAdministration(deps: IdentityDeps): IdentityAdministration {
  const { accounts, users, apiKeys, credentials, passwords, changeIdentity, clock } = deps;
  return {
    getAccount: async (ctx, accountId) => found(await accounts.find(ctx, accountId), 'account'),
    updateAccount: (ctx, accountId, change) =>
      changeIdentity(accountId, async () =>
        found(await accounts.update(ctx, accountId, change, clock.now()), 'account'),
      ),

    listUsers: (ctx, accountId, page) => users.list(ctx, accountId, page),
    createUser: (ctx, actor, user) =>
      changeIdentity(actor.accountId, () => createUser(deps, ctx, actor, user)),
    updateUser: (ctx, actor, userId, change) =>
      changeIdentity(actor.accountId, () => updateUser(deps, ctx, actor, userId, change)),

    listApiKeys: (ctx, accountId, page) => apiKeys.list(ctx, accountId, page),
    createApiKey: (ctx, actor, key) =>
      changeIdentity(actor.accountId, () => createApiKey(deps, ctx, actor, key)),
    revokeApiKey: (ctx, accountId, keyId) =>
      changeIdentity(accountId, async () => {
        if (!(await apiKeys.revoke(ctx, accountId, keyId, clock.now()))) throw notFound('API key');
      }),

    verifyPassword: createVerifyPassword({ store: credentials, passwords }),
    findMembersByEmail: async (email) => {
      const candidates = await credentials.findByEmail(email.toLowerCase());
      return candidates.map(({ member }) => member);
    },
    findMember: (accountId, userId) => credentials.findMember(accountId, userId),
    findMembershipsOf: (userId) => credentials.findMembershipsOf(userId),

    listAccounts: (ctx, page) => accounts.list(ctx, page),
    createAccountWithOwner: (ctx, account) => createAccount(deps, ctx, account),
    beginErasure: (ctx, accountId) =>
      changeIdentity(accountId, async () =>
        found(await accounts.markErasing(ctx, accountId, clock.now()), 'account'),
      ),
    eraseIdentity: (ctx, accountId) => changeIdentity(accountId, () => accounts.erase(ctx, accountId)),
    exportIdentity: async (ctx, accountId) => ({
      account: found(await accounts.find(ctx, accountId), 'account'),
      users: users.readAll(ctx, accountId),
      apiKeys: apiKeys.readAll(ctx, accountId),
    }),
  };
}

function found<T>(record: T | undefined, noun: string): T {
  if (record === undefined) throw notFound(noun);
  return record;
}
