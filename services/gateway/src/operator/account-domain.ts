import type { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { AccountDomain } from './ports/account-domain.ts';

/** The account data of a service behind the gateway. `ctx` must be the platform's own; a service refuses any other caller. */
export function remoteDomain(name: string, client: RpcClient<typeof AccountDataService>): AccountDomain {
  return {
    name,
    async *read(ctx, accountId) {
      let cursor = '';
      do {
        const page = await client.exportAccountData(ctx, { accountId, cursor });
        if (page.collection !== '') yield { collection: page.collection, records: page.records };
        cursor = page.nextCursor;
      } while (cursor !== '');
    },
    async erase(ctx, accountId) {
      return (await client.eraseAccountData(ctx, { accountId })).isComplete;
    },
  };
}

const PAGE_RECORDS = 100;

/** The account data of a module of the gateway. */
export function localDomain(name: string, data: AccountData): AccountDomain {
  return {
    name,
    async *read(ctx, accountId) {
      for (const source of data.exports) {
        const { collection } = source;
        let records: string[] = [];
        for await (const { record } of source.read(ctx, accountId, undefined)) {
          records.push(JSON.stringify(record));
          if (records.length < PAGE_RECORDS) continue;
          yield { collection, records };
          records = [];
        }
        yield { collection, records };
      }
    },
    erase: (ctx, accountId) => data.erase(ctx, accountId),
  };
}
