import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { presentOperatedAccount } from '@fairlead/rest-records/operated-account';
import { required } from '@fairlead/rest-records/values';
import { localDomain, remoteDomain } from './account-domain.ts';
import type { AccountDomain } from './ports/account-domain.ts';
import type { OperatedIdentity } from './ports/operated-identity.ts';

/** The account data of the gateway's modules, by module name. */
export type ModuleData = Readonly<Record<string, AccountData>>;

/** All domains that store data of accounts. */
export interface AccountDomains {
  readonly identity: OperatedIdentity;
  /** All domains except identity: the services in the order of their list, then the modules of the gateway. */
  readonly domains: readonly AccountDomain[];
}

/** Removing an account's registrations at vendors needs its connections and applications. */
const USED_BY_OTHERS: readonly ServiceName[] = ['catalog', 'connections'];

/** The domains whose data an export includes and an erasure removes. */
export function accountDomains(o: {
  readonly peers: Readonly<Record<ServiceName, RpcPeer>>;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  /** Longest time of one call. */
  readonly timeoutMs: number;
  readonly modules: ModuleData;
  /** Called when an account was closed for erasure. */
  readonly onClosed: (accountId: string) => void;
}): AccountDomains {
  const options = (name: ServiceName) => ({ ...o, peer: o.peers[name], defaultTimeoutMs: o.timeoutMs });
  const domainOf = (name: ServiceName): AccountDomain => ({
    ...remoteDomain(name, createRpcClient(AccountDataService, options(name))),
    isUsedByOthers: USED_BY_OTHERS.includes(name),
  });
  const accounts = createRpcClient(OperatorService, options('identity'));
  return {
    identity: {
      async getAccount(ctx, accountId) {
        const { account } = await accounts.findAccount(ctx, { accountId });
        const { accountId: id, ...settings } = presentOperatedAccount(required(account));
        return { id, ...settings };
      },
      async closeAccount(ctx, accountId) {
        await accounts.closeAccount(ctx, { accountId });
        o.onClosed(accountId);
      },
      data: domainOf('identity'),
    },
    domains: [
      ...SERVICE_NAMES.filter((name) => name !== 'identity').map(domainOf),
      ...Object.entries(o.modules).map(([name, data]) => localDomain(name, data)),
    ],
  };
}
