import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import { executionIntentCollection } from './execution-intent.collection.ts';
import type { ExecutionIntents } from './execution-intents.ts';
import {
  executionCheckpointCollection,
  executionCountStateCollection,
} from './execution-checkpoint.collection.ts';
import { expiryOf } from '../domain/approval.ts';
import { approvalCollection } from './approval.collection.ts';
import { toApproval } from './approval.repository.ts';
import { exportExecutions } from './execution-export.ts';
import { detachedCallCollection } from './detached-call.collection.ts';
import { executionCollection } from './execution.collection.ts';
import { fileCollection } from './file.collection.ts';
import { fileOf } from './file.repository.ts';
import type { FileRepository } from './file.repository.ts';
import { eraseHourlyCalls } from './hourly-calls.ts';
import { toolsetCollection } from './toolset.collection.ts';
import { toExportedToolset } from './toolset.repository.ts';
import { workflowRunCollection } from './workflow-run.collection.ts';
import { workflowCollection } from './workflow.collection.ts';
import { toWorkflow } from './workflow.repository.ts';

/**
 * All data of an account that this service stores: toolsets, approvals, workflows, the history (whose secrets are masked before writing),
 * and files. Runs in progress are erased but not exported, because the history shows them. Detached calls are exported without their
 * outcomes, which are in the history. Contents of files are not exported: they exist for a week only, and the account has what it uploaded.
 */
export function createAccountData(
  store: MongoStore,
  contents: Pick<FileRepository, 'eraseContents'>,
  intents: Pick<ExecutionIntents, 'show'>,
): AccountData {
  const intentDocuments = store.collection(executionIntentCollection);
  const files = store.collection(fileCollection);
  const executions = store.collection(executionCollection);
  const checkpoints = store.collection(executionCheckpointCollection);
  const countStates = store.collection(executionCountStateCollection);
  const toolsets = store.collection(toolsetCollection);
  const approvals = store.collection(approvalCollection);
  const workflows = store.collection(workflowCollection);
  const calls = store.collection(detachedCallCollection);
  const runs = store.collection(workflowRunCollection);
  return {
    exports: [
      {
        collection: 'executions',
        read: (ctx, accountId, after) => exportExecutions({ store, intents }, ctx, accountId, after),
      },
      {
        collection: 'toolsets',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(toolsets, ctx, accountId, after)) {
            yield { position, record: toExportedToolset(document) };
          }
        },
      },
      {
        collection: 'approvals',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(approvals, ctx, accountId, after)) {
            // The stored decision, even if the approval has expired since.
            const { fingerprint: _, ...approval } = toApproval(document, document.createdAt);
            const described = approval.files.map(({ heldFileId: _held, ...file }) => file);
            const record = { ...approval, files: described, expiresAt: expiryOf(approval.createdAt) };
            yield { position, record };
          }
        },
      },
      {
        collection: 'files',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(files, ctx, accountId, after)) {
            if (document.state === 'ready') yield { position, record: fileOf(document) };
          }
        },
      },
      {
        collection: 'workflows',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(workflows, ctx, accountId, after)) {
            yield { position, record: toWorkflow(document) };
          }
        },
      },
      {
        collection: 'detachedCalls',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(calls, ctx, accountId, after)) {
            const { toolName, end, createdAt, updatedAt, expiresAt } = document;
            yield { position, record: { toolName, end, createdAt, updatedAt, expiresAt } };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      await contents.eraseContents(ctx, accountId);
      return (
        (await eraseDocuments(calls, ctx, { accountId })) &&
        (await eraseDocuments(runs, ctx, { accountId })) &&
        (await eraseDocuments(workflows, ctx, { accountId })) &&
        (await eraseDocuments(files, ctx, { accountId })) &&
        (await eraseDocuments(toolsets, ctx, { accountId })) &&
        (await eraseDocuments(approvals, ctx, { accountId })) &&
        (await eraseDocuments(store.collection(creationLockCollection), ctx, { accountId })) &&
        (await eraseHourlyCalls(store, ctx, accountId)) &&
        (await eraseDocuments(intentDocuments, ctx, { accountId })) &&
        (await eraseDocuments(executions, ctx, { accountId })) &&
        (await eraseDocuments(checkpoints, ctx, { accountId })) &&
        (await eraseDocuments(countStates, ctx, { _id: accountId }))
      );
    },
  };
}
