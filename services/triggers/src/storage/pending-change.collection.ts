import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import type { ConnectionChange } from '../domain/connection-change.ts';

/** A change of a connection for which not all triggers have fired yet. */
export interface PendingChangeDocument extends Omit<ConnectionChange, 'id'> {
  /** The change's id. */
  readonly _id: string;
  /** The last trigger that has fired, in the order of their ids; null: none has. */
  readonly firedUntil: string | null;
  /** Its partitions are accounts. */
  readonly due: Due;
}

/** Where a document says when it is due. */
export const CHANGE_DUE_PATH = 'due';

/** Erasures read the first index, the sweep the other one. */
export const pendingChangeCollection = defineCollection<PendingChangeDocument>({
  name: 'pending_changes',
  indexes: [{ key: { accountId: 1 }, name: 'of_an_account' }, dueIndex(CHANGE_DUE_PATH)],
});
