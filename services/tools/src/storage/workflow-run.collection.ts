import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';

/** A run in progress; removed when it ends. */
export interface WorkflowRunDocument {
  /** The run id. */
  readonly _id: string;
  readonly accountId: string;
  /** JSON text: the constant part of the run, with secret inputs masked. */
  readonly head: string;
  readonly startedAt: Date;
  readonly step: number;
  /** JSON text, like `items` and each of `itemResults`. */
  readonly results: string;
  readonly items: string | null;
  readonly itemResults: readonly string[];
  readonly call: { readonly isRepeatable: boolean } | null;
  readonly connectionIds: readonly number[];
  readonly attempts: number;
  /** Claimed by the process that runs it; due when the claim was not renewed. Its partition is the account. */
  readonly due: DueState;
}

/** Read by id, and by claims on abandoned runs. */
export const workflowRunCollection = defineCollection<WorkflowRunDocument>({
  name: 'workflow_runs',
  indexes: [{ key: { accountId: 1, _id: 1 }, name: 'account' }, dueIndex('due')],
});
