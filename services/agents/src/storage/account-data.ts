import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import { agentCollection } from './agent.collection.ts';
import { toExportedAgent } from './agent.repository.ts';
import { taskCollection } from './task.collection.ts';
import { toExportedTask } from './task.repository.ts';

/** All data of an account that this service stores: its agents without their tokens, and their tasks without the inputs. */
export function createAccountData(store: MongoStore, sealer: Pick<Sealer, 'shred'>): AccountData {
  const agents = store.collection(agentCollection);
  const tasks = store.collection(taskCollection);
  return {
    exports: [
      {
        collection: 'agents',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(agents, ctx, accountId, after)) {
            yield { position, record: toExportedAgent(document) };
          }
        },
      },
      {
        collection: 'agentTasks',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(tasks, ctx, accountId, after)) {
            yield { position, record: toExportedTask(document) };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      await sealer.shred(accountId);
      return (
        (await eraseDocuments(agents, ctx, { accountId })) &&
        (await eraseDocuments(tasks, ctx, { accountId })) &&
        (await eraseDocuments(store.collection(creationLockCollection), ctx, { accountId }))
      );
    },
  };
}
