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

/** Everything that is kept of an account's identity data, but secrets and their hashes. */
export interface IdentityExport {
  readonly account: Account;
  /** Newest first; read as it is asked for. */
  readonly users: AsyncIterable<User>;
  /** Revoked ones too, likewise. */
  readonly apiKeys: AsyncIterable<ApiKeyRecord>;
}

/**
 * Accounts, users and API keys: what administrators of an account, the operator and the authorization server may do with
 * them. A record of another account is NOT_FOUND. Every change holds on every replica within two seconds.
 */
export interface IdentityAdministration {
  /** The account; NOT_FOUND where there is none. */
  getAccount(ctx: RequestContext, accountId: string): Promise<Account>;
  /** Changes what is given, budget by budget; NOT_FOUND likewise. Answers the account. */
  updateAccount(ctx: RequestContext, accountId: string, change: AccountChange): Promise<Account>;

  listUsers(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<User>>;
  /** CONFLICT for an e-mail taken in the actor's account; FORBIDDEN for an owner made by who is none. */
  createUser(ctx: RequestContext, actor: Actor, user: NewUser): Promise<User>;
  /**
   * CONFLICT for an e-mail taken in the actor's account and where no active owner would be left; FORBIDDEN where someone
   * who is no owner changes an owner or makes one.
   */
  updateUser(ctx: RequestContext, actor: Actor, userId: string, change: UserChange): Promise<User>;

  /** Those that are not revoked. */
  listApiKeys(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<ApiKeyRecord>>;
  /** The key, which nobody can read again. FORBIDDEN for an owner's key made by who is no owner. */
  createApiKey(ctx: RequestContext, actor: Actor, key: NewApiKey): Promise<CreatedApiKey>;
  /** NOT_FOUND for a key that is revoked already. */
  revokeApiKey(ctx: RequestContext, accountId: string, keyId: string): Promise<void>;

  /**
   * For sign-in: the users, active or not, each with its account, whose e-mail and password these are.
   * Several where one person chose the same password in several accounts: ask for the account. It takes the same time
   * whether anybody has that e-mail or not.
   */
  readonly verifyPassword: VerifyPassword;
  /** The users of that e-mail, active or not, for a sign-in that an upstream provider vouches for. By name of the account. */
  findMembersByEmail(email: string): Promise<readonly Member[]>;
  /** That user of that account, active or not, read from the database; undefined where there is none. */
  findMember(accountId: string, userId: string): Promise<Member | undefined>;
  /** The accounts that a user may act in. A user belongs to one: see User. Empty where the user is unknown or not active. */
  findMembershipsOf(userId: string): Promise<readonly Member[]>;

  /** For the operator. */
  listAccounts(ctx: RequestContext, page: Page): Promise<Listed<Account>>;
  /** For the operator: an account with its owner and the owner's first API key, whole or not at all. */
  createAccountWithOwner(ctx: RequestContext, account: NewAccount): Promise<CreatedAccount>;
  /**
   * For the operator: from now on no credential of the account opens anything, and nothing of it can be made. To be called
   * again where it stopped half-way: the first time counts. NOT_FOUND for an unknown account.
   */
  beginErasure(ctx: RequestContext, accountId: string): Promise<Account>;
  /** For the operator, after everything else of the account is gone: erases keys and users, the account last. Repeatable. */
  eraseIdentity(ctx: RequestContext, accountId: string): Promise<void>;
  /** For the operator; NOT_FOUND for an unknown account. */
  exportIdentity(ctx: RequestContext, accountId: string): Promise<IdentityExport>;
}

/** What identity administration is made of. */
export interface IdentityDeps {
  readonly accounts: AccountStore;
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly credentials: CredentialStore & SignInStore;
  readonly passwords: PasswordHasher;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** Identity administration on the given storage; every write is told of by `changeIdentity`. */
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
