import type { AccountData } from '@fairlead/service-kit/account-data';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { OAuthClients } from '../oauth/clients/oauth-clients.ts';
import { oauthGrantCollection } from '../oauth/storage/oauth-grant.collection.ts';

/** Erases what a room of the gateway keeps of an account; doing it again does no harm. */
export type EraseRoom = (accountId: string) => Promise<void>;

/** What the authorization server keeps of accounts: who may act in them. Codes, tokens and sessions are erased only. */
export function oauthData(o: {
  readonly store: MongoStore;
  readonly clients: Pick<OAuthClients, 'list'>;
  readonly erasures: readonly EraseRoom[];
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
      for (const erase of o.erasures) await erase(accountId);
      return true;
    },
  };
}
