import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import { defaultServerCollection } from './default-server.collection.ts';
import { mcpServerCollection } from './mcp-server.collection.ts';
import { toExportedServer } from './mcp-server.repository.ts';
import { servedDefinitionCollection } from './served-definition.collection.ts';
import { toExportedDefinition } from './served-definition.repository.ts';
import { upstreamListsCollection } from './upstream-lists.collection.ts';

/**
 * All data of an account that this service stores: its MCP servers, without their tokens, and the stored definitions. Copies of other
 * servers' lists are erased but not exported. Keys and servers are erased first, because without them no token is valid.
 */
export function createAccountData(store: MongoStore, sealer: Pick<Sealer, 'shred'>): AccountData {
  const servers = store.collection(mcpServerCollection);
  const definitions = store.collection(servedDefinitionCollection);
  return {
    exports: [
      {
        collection: 'mcpServers',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(servers, ctx, accountId, after)) {
            yield { position, record: toExportedServer(document) };
          }
        },
      },
      {
        collection: 'servedDefinitions',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(definitions, ctx, accountId, after)) {
            yield { position, record: toExportedDefinition(document) };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      await sealer.shred(accountId);
      return (
        (await eraseDocuments(servers, ctx, { accountId })) &&
        (await eraseDocuments(definitions, ctx, { accountId })) &&
        (await eraseDocuments(store.collection(upstreamListsCollection), ctx, { accountId })) &&
        (await eraseDocuments(store.collection(creationLockCollection), ctx, { accountId })) &&
        (await eraseDocuments(store.collection(defaultServerCollection), ctx, { _id: accountId }))
      );
    },
  };
}
