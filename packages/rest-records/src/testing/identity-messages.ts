import { create } from '@bufbuild/protobuf';
import type { Message } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { AccountSchema, DefaultLicence } from '@fairlead/contracts/identity/v1/account_pb';
import type { Account } from '@fairlead/contracts/identity/v1/account_pb';
import { ApiKeySchema } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import type { ApiKey } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { OAuthClientSchema } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import type { OAuthClient } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { Role, UserSchema } from '@fairlead/contracts/identity/v1/user_pb';
import type { User } from '@fairlead/contracts/identity/v1/user_pb';
import { MADE_AT } from './messages.ts';

const AT = timestampFromDate(new Date(MADE_AT));
const TIMES = { createdAt: AT, updatedAt: AT };

/** Some members of a message. */
export type Members<M extends Message> = Partial<Omit<M, keyof Message>>;

/** The open account `acc_1` as the identity service returns it, with the given members replaced. */
export function accountMessage(o: Members<Account> = {}): Account {
  const budgets = DEFAULT_BUDGETS;
  const account = { id: 'acc_1', name: 'Acme', defaultLicence: DefaultLicence.ACTIVE, budgets, ...TIMES };
  return create(AccountSchema, { ...account, ...o });
}

/** An active owner as the identity service returns it, with the given members replaced. */
export function userMessage(o: Members<User> = {}): User {
  const user = { id: 'usr_1', email: 'olga@test.example', name: 'Olga', role: Role.OWNER, isActive: true };
  return create(UserSchema, { ...user, ...TIMES, ...o });
}

/** An unused key that does not expire as the identity service returns it, with the given members replaced. */
export function apiKeyMessage(o: Members<ApiKey> = {}): ApiKey {
  const key = { id: 'key_1', name: 'CI', userId: 'usr_1', maskedKey: 'fairlead_abcd…' };
  return create(ApiKeySchema, { ...key, ...TIMES, ...o });
}

/** An OAuth client as the identity service returns it, with the given members replaced. */
export function oauthClientMessage(o: Members<OAuthClient> = {}): OAuthClient {
  const client = { id: 'client_1', name: 'Nightly job', userId: 'usr_1', scopes: ['tools.read'] };
  return create(OAuthClientSchema, { ...client, grantTypes: ['client_credentials'], ...TIMES, ...o });
}
