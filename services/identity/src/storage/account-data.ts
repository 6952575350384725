import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { Clock } from '@fairlead/service-kit/clock';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AccountStore } from '../ports/account-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import { accountCollection } from './account.collection.ts';
import { apiKeyCollection, toApiKey } from './api-key.collection.ts';
import { endedToolsetCollection } from './ended-toolset.collection.ts';
import { toClient } from './client.repository.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import type { AccountClientDocument } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { signInEndCollection } from './sign-in-end.collection.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { toUser, userCollection } from './user.collection.ts';

/** Target duration of one erasing call, give or take a few seconds: well within the call's deadline. */
const ERASE_LIMIT_MS = 3_000;

/**
 * All data of an account that this service stores, except the account itself, which OperatorService returns. Codes,
 * tokens, browser sessions, links to an upstream provider and change records are erased but not exported.
 */
export function createAccountData(o: {
  readonly store: MongoStore;
  readonly accounts: Pick<AccountStore, 'markErasing'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}): AccountData {
  const { store } = o;
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  const clients = store.collection(oauthClientCollection);
  const grants = store.collection(oauthGrantCollection);
  return {
    exports: [
      {
        collection: 'users',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(users, ctx, accountId, after))
            yield { position, record: toUser(document) };
        },
      },
      {
        collection: 'apiKeys',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(apiKeys, ctx, accountId, after))
            yield { position, record: toApiKey(document) };
        },
      },
      {
        collection: 'oauthClients',
        async *read(ctx, accountId, after) {
          // Clients of the account. Self-registered ones belong to no account.
          const own = store.db.collection<AccountClientDocument>(oauthClientCollection.name);
          for await (const { position, document } of readNewestFirst(own, ctx, accountId, after)) {
            const { accountId: _same, ...client } = toClient(document);
            yield { position, record: client };
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
    erase: (ctx, accountId) =>
      o.changeIdentity(accountId, async () => {
        // Nothing new can be created meanwhile, because the account is closed.
        await o.accounts.markErasing(ctx, accountId, o.clock.now());
        const erasers = [
          () => eraseDocuments(clients, ctx, { accountId }),
          // Grants before their tokens, which are worthless without the grant.
          () => eraseDocuments(grants, ctx, { accountId }),
          () => eraseDocuments(store.collection(oauthArtifactCollection), ctx, { accountId }),
          () => eraseDocuments(store.collection(signInEndCollection), ctx, { accountId }),
          () => eraseDocuments(store.collection(upstreamLinkCollection), ctx, { accountId }),
          () => eraseDocuments(store.collection(changeCollection), ctx, { accountId }),
          () => eraseDocuments(apiKeys, ctx, { accountId }),
          () => eraseDocuments(store.collection(endedToolsetCollection), ctx, { accountId }),
          () => eraseDocuments(users, ctx, { accountId }),
        ];
        const startedAt = performance.now();
        for (const erase of erasers) {
          // Each step takes seconds at most, but all of them together must fit into the call's deadline.
          if (performance.now() - startedAt > ERASE_LIMIT_MS || !(await erase())) return false;
        }
        // The account last: while it exists, it is marked as closed.
        await store.collection(accountCollection).deleteOne({ _id: accountId }, operationOptions(ctx));
        return true;
      }),
  };
}
