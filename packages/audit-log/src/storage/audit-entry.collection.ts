import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { AuditEntry } from '../domain/entry.ts';

/** `batch` of an entry that is not yet chained. */
export const UNCHAINED = 0;

/** A stored entry, with its place in the chain. */
export interface AuditEntryDocument extends Omit<AuditEntry, 'id'> {
  readonly _id: string;
  /** The number of its batch, UNCHAINED at first; chaining finds entries by this member, however old they are. */
  readonly batch: number;
  /** Zero-based place in the batch. */
  readonly position: number;
}

/** An entry is written once and gets its place once; nothing else changes it. */
export const auditEntryCollection = defineCollection<AuditEntryDocument>({
  name: 'audit_entries',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, 'actor.userId': 1, createdAt: -1, _id: -1 }, name: 'of_a_user' },
    { key: { accountId: 1, 'actor.kind': 1, createdAt: -1, _id: -1 }, name: 'of_a_kind_of_actor' },
    { key: { accountId: 1, action: 1, createdAt: -1, _id: -1 }, name: 'of_an_action' },
    { key: { accountId: 1, batch: 1, position: 1 }, name: 'of_a_batch' },
    {
      key: { accountId: 1, createdAt: 1, _id: 1 },
      name: 'unchained',
      partialFilterExpression: { batch: UNCHAINED },
    },
    { key: { expiresAt: 1 }, name: 'retention', expireAfterSeconds: 0 },
  ],
});
