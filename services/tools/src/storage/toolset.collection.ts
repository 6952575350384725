import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ToolsetPolicy } from '../domain/policy.ts';
import type { Toolset } from '../domain/toolset.ts';

/** A policy; names of tools and inputs may not be valid in BSON. */
export interface StoredPolicy extends Omit<ToolsetPolicy, 'fixedFields' | 'bindings'> {
  /** The inputs are JSON text. */
  readonly fixedFields: readonly { readonly toolSlug: string; readonly fields: string }[];
  /** JSON text. */
  readonly bindings?: string;
}

/** One toolset. Members that are not declared here are stored as they are. */
export interface ToolsetDocument extends Omit<Toolset, 'id' | 'policy' | 'revision'> {
  /** The toolset id. */
  readonly _id: string;
  readonly accountId: string;
  /** Null: none. */
  readonly policy: StoredPolicy | null;
  /** Absent in a toolset that was stored before there were revisions; then 0. */
  readonly revision?: number;
}

/** Lists read the first index; by the others the toolsets are found that use a connection or a workflow. */
export const toolsetCollection = defineCollection<ToolsetDocument>({
  name: 'toolsets',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, connectionIds: 1, _id: 1 }, name: 'using_a_connection' },
    { key: { accountId: 1, workflowTokens: 1, _id: 1 }, name: 'using_a_workflow' },
  ],
});
