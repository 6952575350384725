import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { localDomain, remoteDomain } from './account-domain.ts';
import type { AccountDomain } from './ports/account-domain.ts';

/** The account data of the gateway's modules, by module name. */
export type ModuleData = Readonly<Record<string, AccountData>>;

/**
 * Everything that stores data of accounts, except identity, which comes last: what an export contains and an erasure
 * removes. The services come first, in the order of their list, then the modules of the gateway.
 */
export function accountDomains(o: {
  readonly peers: Readonly<Record<ServiceName, RpcPeer>>;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  /** Longest time of one call. */
  readonly timeoutMs: number;
  readonly modules: ModuleData;
}): readonly AccountDomain[] {
  const { callerKeys, clock, timeoutMs } = o;
  return [
    ...SERVICE_NAMES.map((name) => {
      const options = { peer: o.peers[name], callerKeys, clock, defaultTimeoutMs: timeoutMs };
      return remoteDomain(name, createRpcClient(AccountDataService, options));
    }),
    ...Object.entries(o.modules).map(([name, data]) => localDomain(name, data)),
  ];
}
