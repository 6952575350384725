import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { auditBatchCollection, auditChainCollection } from './audit-chain.collection.ts';
import { auditEntryCollection } from './audit-entry.collection.ts';
import { entryOf } from './audit.repository.ts';

/** The audit logs of accounts and their chains. */
export function auditData(store: MongoStore): AccountData {
  const entries = store.collection(auditEntryCollection);
  const batches = store.collection(auditBatchCollection);
  const chains = store.collection(auditChainCollection);
  return {
    exports: [
      {
        collection: 'auditEntries',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(entries, ctx, accountId, after)) {
            const { accountId: _same, details, ...entry } = entryOf(document);
            const record = { ...entry, details: details === null ? null : (JSON.parse(details) as unknown) };
            yield { position, record: { ...record, batch: document.batch } };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      // In this order: a batch that is sealed meanwhile either finds no entries or is stored before batches are erased.
      if (!(await eraseDocuments(entries, ctx, { accountId }))) return false;
      if (!(await eraseDocuments(batches, ctx, { accountId }))) return false;
      await chains.deleteOne({ _id: accountId });
      return true;
    },
  };
}
