import { rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { executionIntentCollection } from './execution-intent.collection.ts';
import {
  executionCheckpointCollection,
  executionCountStateCollection,
} from './execution-checkpoint.collection.ts';
import { approvalCollection } from './approval.collection.ts';
import { callHolderCollection, detachedCallCollection } from './detached-call.collection.ts';
import { executionCollection } from './execution.collection.ts';
import { chunkCollection, contentCollection, fileCollection } from './file.collection.ts';
import { toolsetCollection } from './toolset.collection.ts';
import { workflowRunCollection } from './workflow-run.collection.ts';
import { workflowCollection } from './workflow.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    executionCollection,
    executionIntentCollection,
    executionCheckpointCollection,
    executionCountStateCollection,
    toolsetCollection,
    approvalCollection,
    workflowCollection,
    workflowRunCollection,
    detachedCallCollection,
    callHolderCollection,
    rateWindowCollection,
    creationLockCollection,
    fileCollection,
    contentCollection,
    chunkCollection,
  ],
};
