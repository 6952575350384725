import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { auditData } from '../audit/storage/account-data.ts';
import { limitsData } from '../limits/storage/account-data.ts';
import type { OAuthClients } from '../oauth/clients/oauth-clients.ts';
import { usageData } from '../usage/storage/account-data.ts';
import { localDomain, remoteDomain } from './account-domain.ts';
import type { AccountDomain } from './account-domain.ts';
import { oauthData } from './oauth-data.ts';
import type { EraseRoom } from './oauth-data.ts';

/**
 * Everything that keeps data of accounts, but identity, whose turn is last: what an export holds and an erasure erases. The
 * services come first, in the order of their list.
 */
export function accountDomains(o: {
  readonly peers: Readonly<Record<ServiceName, RpcPeer>>;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  /** Longest time of one call. */
  readonly timeoutMs: number;
  /** The gateway's own database, and the keys of what is sealed in it. */
  readonly store: MongoStore;
  readonly sealer: Pick<Sealer, 'shred'>;
  readonly oauthClients: Pick<OAuthClients, 'list'>;
  readonly eraseOAuth: EraseRoom;
  readonly eraseUpstreamLinks: EraseRoom;
  readonly eraseIdempotency: EraseRoom;
}): readonly AccountDomain[] {
  const { callerKeys, clock, timeoutMs, store } = o;
  const oauth = { store, clients: o.oauthClients, erasures: [o.eraseOAuth, o.eraseUpstreamLinks] };
  return [
    ...SERVICE_NAMES.map((name) => {
      const options = { peer: o.peers[name], callerKeys, clock, defaultTimeoutMs: timeoutMs };
      return remoteDomain(name, createRpcClient(AccountDataService, options));
    }),
    localDomain(
      'sealing',
      erasedOnly((accountId) => o.sealer.shred(accountId)),
    ),
    localDomain('audit', auditData(store)),
    localDomain('usage', usageData(store)),
    localDomain('oauth', oauthData(oauth)),
    localDomain('idempotency', erasedOnly(o.eraseIdempotency)),
    localDomain('limits', limitsData(store)),
  ];
}

/** What is of no use to who asks for the data: keys, and answers that were kept for a retry. */
function erasedOnly(erase: EraseRoom): AccountData {
  return {
    exports: [],
    async erase(_ctx, accountId) {
      await erase(accountId);
      return true;
    },
  };
}
