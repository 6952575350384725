import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { ConnectionChange } from '../domain/connection-change.ts';

/** A connection change for which not all triggers have fired yet. */
export interface PendingChangeDocument extends Omit<ConnectionChange, 'id'> {
  /** The change's id. */
  readonly _id: string;
  /** The last trigger that has fired, in id order; null: none. */
  readonly firedUntil: string | null;
  /** Partitioned by account. */
  readonly due: DueState;
}

/** Path of the member that says when the change is due. */
export const CHANGE_DUE_PATH = 'due';

/** Erasures use the first index, the sweep the other one. */
export const pendingChangeCollection = defineCollection<PendingChangeDocument>({
  name: 'pending_changes',
  indexes: [{ key: { accountId: 1 }, name: 'of_an_account' }, dueIndex(CHANGE_DUE_PATH)],
});
