import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { executionCollection } from './execution.collection.ts';
import { executionOf } from './execution.repository.ts';
import { toolsetCollection } from './toolset.collection.ts';
import { toToolset } from './toolset.repository.ts';

/** All data of an account that this service stores: toolsets, and the history, whose secrets are masked before it is written. */
export function createAccountData(store: MongoStore): AccountData {
  const executions = store.collection(executionCollection);
  const toolsets = store.collection(toolsetCollection);
  return {
    exports: [
      {
        collection: 'executions',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(executions, ctx, accountId, after)) {
            const { outcome, ...execution } = executionOf(document);
            yield { position, record: { ...execution, ...outcome } };
          }
        },
      },
      {
        collection: 'toolsets',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(toolsets, ctx, accountId, after)) {
            yield { position, record: toToolset(document) };
          }
        },
      },
    ],
    erase: async (ctx, accountId) =>
      (await eraseDocuments(toolsets, ctx, { accountId })) &&
      (await eraseDocuments(executions, ctx, { accountId })),
  };
}
