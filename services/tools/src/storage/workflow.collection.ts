import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { WorkflowStep } from '../domain/workflow.ts';

type StoredStep = Omit<WorkflowStep, 'fields'> & { readonly fields: string };

export interface WorkflowDocument {
  /** The workflow token. */
  readonly _id: string;
  readonly accountId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly revision: number;
  /** All slugs that it has had, the current one included. Absent if an earlier release wrote it and it was never renamed. */
  readonly aliases?: readonly string[];
  /** JSON text, like `output` and the fields of each step: names of members may be invalid in BSON. */
  readonly inputSchema: string;
  readonly steps: readonly StoredStep[];
  readonly output: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * The index that prevents a workflow from taking a slug that another one of the account has or had: policies of toolsets may still use that
 * slug for it.
 */
export const ALIASES_INDEX = 'aliases';
/** The index that makes slugs unique within an account. */
export const SLUG_INDEX = 'slug';

/** Lists use the first index; executions find their workflow by the second. */
export const workflowCollection = defineCollection<WorkflowDocument>({
  name: 'workflows',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, slug: 1 }, name: SLUG_INDEX, unique: true },
    {
      key: { accountId: 1, aliases: 1 },
      name: ALIASES_INDEX,
      unique: true,
      partialFilterExpression: { aliases: { $exists: true } },
    },
  ],
});
