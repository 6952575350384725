import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import type { Account } from '@fairlead/contracts/identity/v1/account_pb';
import { AccountService } from '@fairlead/contracts/identity/v1/account_service_pb';
import { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { OAuthClientService } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import type { User } from '@fairlead/contracts/identity/v1/user_pb';
import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { contextOf } from './context-of.ts';
import { startIdentityService } from './identity-service.ts';
import type { TestStores } from './identity-service.ts';

/** The service over RPC, as the gateway calls it. */
export interface World {
  readonly accounts: RpcClient<typeof AccountService>;
  readonly users: RpcClient<typeof UserService>;
  readonly apiKeys: RpcClient<typeof ApiKeyService>;
  readonly oauthClients: RpcClient<typeof OAuthClientService>;
  readonly operator: RpcClient<typeof OperatorService>;
  readonly credentials: RpcClient<typeof CredentialService>;
  readonly accountData: RpcClient<typeof AccountDataService>;
  readonly changes: RpcClient<typeof ChangeService>;
  readonly clock: ManualClock;
  readonly store: MongoStore;
  close(): Promise<void>;
}

/** Starts one instance of the service on a database of its own. */
export async function startWorld(stores: TestStores): Promise<World> {
  // Near real time, because MongoDB's TTL monitor uses real time.
  const clock = new ManualClock(new Date());
  const service = await startIdentityService(stores, { clock });
  const peer = testPeer('identity', service.apps[0]);
  const options = { peer, callerKeys: service.callerKeys, clock };
  return {
    accounts: createRpcClient(AccountService, options),
    users: createRpcClient(UserService, options),
    apiKeys: createRpcClient(ApiKeyService, options),
    oauthClients: createRpcClient(OAuthClientService, options),
    operator: createRpcClient(OperatorService, options),
    credentials: createRpcClient(CredentialService, options),
    accountData: createRpcClient(AccountDataService, options),
    changes: createRpcClient(ChangeService, options),
    clock,
    store: service.store,
    async close() {
      await peer.close();
      await service.close();
    },
  };
}

/** An account with its owner. */
export interface TestAccount {
  readonly account: Account;
  readonly owner: User;
  /** The owner's first key. */
  readonly apiKey: string;
  /** The context of a call by the owner. */
  readonly asOwner: RequestContext;
}

/** Creates an account through the operator. */
export async function newAccount(world: World, name = 'One'): Promise<TestAccount> {
  const { account, owner, apiKey } = await world.operator.createAccount(platformContext, {
    settings: { name },
  });
  const made = { account: required(account), owner: required(owner), apiKey };
  return { ...made, asOwner: contextOf({ accountId: made.account.id, userId: made.owner.id }) };
}

let people = 0;

/** Creates a user of the caller's account with an e-mail address of its own. */
export async function newUser(
  world: World,
  ctx: RequestContext,
  o: Partial<Parameters<World['users']['createUser']>[1]> = {},
): Promise<User> {
  const email = `person${(people += 1)}@test.example`;
  const { user } = await world.users.createUser(ctx, { email, role: Role.MEMBER, isActive: true, ...o });
  return required(user);
}

/** Returns the value; fails the test if it is undefined. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
