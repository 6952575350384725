import type { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';

/** Records of one kind on their way to whoever asked for all of an account's data. */
export interface ExportedRecords {
  /** What they are; the records of one kind follow each other. */
  readonly collection: string;
  /** JSON texts. */
  readonly records: readonly string[];
}

/** A part of the platform that keeps data of accounts: a service, or a room of the gateway. */
export interface AccountDomain {
  /** For the log. */
  readonly name: string;
  /** Everything it keeps of the account, but secrets; each kind at least once, also where there is none of it. */
  read(ctx: RequestContext, accountId: string): AsyncIterable<ExportedRecords>;
  /** Erases a part of what it keeps; true: nothing is left. To be called until then, and again at any time. */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}

/** A service behind the gateway; `ctx` is of the platform itself, because a service refuses everybody else. */
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

/** A room of the gateway itself. */
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
