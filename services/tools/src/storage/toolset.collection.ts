import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ToolsetPolicy } from '../domain/policy.ts';
import type { Toolset } from '../domain/toolset.ts';

/** A policy as stored; names of tools and inputs may be invalid in BSON. */
export interface StoredPolicy extends Omit<ToolsetPolicy, 'fixedFields' | 'bindings'> {
  /** Inputs are JSON text. */
  readonly fixedFields: readonly { readonly toolSlug: string; readonly fields: string }[];
  /** JSON text. */
  readonly bindings?: string;
}

/** A toolset document. Undeclared members are those of Toolset. */
export interface ToolsetDocument extends Omit<Toolset, 'id' | 'policy' | 'revision'> {
  /** The toolset id. */
  readonly _id: string;
  readonly accountId: string;
  /** Null: none. */
  readonly policy: StoredPolicy | null;
  /** Absent in toolsets stored before revisions existed: 0. */
  readonly revision?: number;
}

/** Lists use the first index; the others find toolsets that contain a connection or a workflow. */
export const toolsetCollection = defineCollection<ToolsetDocument>({
  name: 'toolsets',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, connectionIds: 1, _id: 1 }, name: 'using_a_connection' },
    { key: { accountId: 1, workflowTokens: 1, _id: 1 }, name: 'using_a_workflow' },
  ],
});
