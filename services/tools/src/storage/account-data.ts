import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { executionCollection } from './execution.collection.ts';
import { executionOf } from './execution.repository.ts';

/** All data of an account that this service stores: the history, whose secrets are masked before it is written. */
export function createAccountData(store: MongoStore): AccountData {
  const executions = store.collection(executionCollection);
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
    ],
    erase: (ctx, accountId) => eraseDocuments(executions, ctx, { accountId }),
  };
}
