import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ChainHead } from '../domain/chain.ts';
import type { AuditBatch } from '../domain/batch.ts';

/** Batches, with unique numbers per log. They expire after their entries. */
export const auditBatchCollection = defineCollection<AuditBatch>({
  name: 'audit_batches',
  indexes: [
    { key: { accountId: 1, sequence: 1 }, unique: true, name: 'chain' },
    { key: { keptUntil: 1 }, name: 'retention', expireAfterSeconds: 0 },
  ],
});

/** The end of each log's chain. */
export interface AuditChainDocument extends ChainHead {
  /** The log. */
  readonly _id: string;
}

/** One document per log; read only by id. */
export const auditChainCollection = defineCollection<AuditChainDocument>({
  name: 'audit_chains',
  indexes: [],
});
