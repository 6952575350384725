import type { AccountData } from '@fairlead/service-kit/account-data';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { AccountClientStore } from '../ports/client-store.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';

/** The authorization server's account data: who may act in accounts. Codes, tokens and sessions are only erased, not exported. */
export function oauthData(o: {
  readonly store: MongoStore;
  readonly clients: Pick<AccountClientStore, 'list'>;
  /** Erases all of it; repeatable. */
  readonly erase: (accountId: string) => Promise<void>;
}): AccountData {
  const grants = o.store.collection(oauthGrantCollection);
  return {
    exports: [
      {
        collection: 'oauthClients',
        async *read(ctx, accountId, after) {
          for (let offset = after === undefined ? 0 : Number(after) + 1; ;) {
            const { items } = await o.clients.list(ctx, accountId, { offset, top: MAX_TOP });
            for (const { accountId: _same, ...client } of items) {
              yield { position: String(offset), record: client };
              offset += 1;
            }
            if (items.length < MAX_TOP) return;
          }
        },
      },
      {
        collection: 'oauthGrants',
        async *read(ctx, accountId, after) {
          const filter = { accountId, ...(after === undefined ? {} : { _id: { $gt: after } }) };
          for await (const grant of grants.find(filter, operationOptions(ctx)).sort({ _id: 1 })) {
            const { _id: id, userId, clientId, createdAt, expiresAt } = grant;
            yield { position: id, record: { id, userId, clientId, createdAt, expiresAt } };
          }
        },
      },
    ],
    async erase(_ctx, accountId) {
      await o.erase(accountId);
      return true;
    },
  };
}
