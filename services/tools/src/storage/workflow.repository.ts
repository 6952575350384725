import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import { WORKFLOW_LIMITS } from '../domain/workflow.ts';
import type { WorkflowView, Workflow, WorkflowChange } from '../domain/workflow.ts';
import type { WorkflowDeletion, WorkflowStore } from '../ports/workflow-store.ts';
import { toolsetCollection } from './toolset.collection.ts';
import { ALIASES_INDEX, SLUG_INDEX, workflowCollection } from './workflow.collection.ts';
import type { WorkflowDocument } from './workflow.collection.ts';

/** Number of toolsets that an error names. */
const MAX_USES = 100;

/** The workflows in MongoDB. */
export function createWorkflowRepository(store: MongoStore): WorkflowStore {
  const workflows = store.collection(workflowCollection);
  const toolsets = store.collection(toolsetCollection);
  return {
    insert: (ctx, accountId, workflow) =>
      unlessTaken(async () => {
        const { workflowToken, revision, aliases, createdAt, updatedAt, ...content } = workflow;
        const slugs = [...aliases, workflow.slug];
        const document = { ...contentOf(content), revision, aliases: slugs, createdAt, updatedAt };
        // A new workflow has every member.
        const whole = { _id: workflowToken, accountId, ...document } as WorkflowDocument;
        const most = WORKFLOW_LIMITS.perAccount;
        const like = { accountId };
        if (!(await insertWithin(store, ctx, { into: workflows, document: whole, most, like })))
          throw new ApiError('CONFLICT', `An account has at most ${most} workflows.`);
        return 'inserted' as const;
      }),

    async find(ctx, accountId, workflowToken) {
      const document = await workflows.findOne({ accountId, _id: workflowToken }, operationOptions(ctx));
      return document === null ? undefined : toWorkflow(document);
    },

    async findBySlug(ctx, accountId, slug) {
      const document = await workflows.findOne({ accountId, slug }, operationOptions(ctx));
      return document === null ? undefined : toWorkflow(document);
    },

    async findSome(ctx, accountId, workflowTokens) {
      if (workflowTokens.length === 0) return [];
      const filter = { accountId, _id: { $in: [...workflowTokens] } };
      const found = await workflows
        .find(filter, operationOptions(ctx))
        .project<Omit<WorkflowDocument, 'steps' | 'output'>>({ steps: 0, output: 0 })
        .toArray();
      return found.map((document) => {
        const { inputSchema, ...same } = membersOf(document);
        return { ...same, inputSchema: unparsed(inputSchema) };
      });
    },

    list: (ctx, accountId, page) =>
      listNewestFirst(workflows, ctx, { accountId }, page, { toItem: toListedWorkflow, hint: 'list' }),

    update: (ctx, accountId, { workflowToken, slug: former, revision }, change, now) =>
      unlessTaken(async () => {
        const slugs = change.slug === undefined ? [] : [former, change.slug];
        const document = await workflows.findOneAndUpdate(
          { accountId, _id: workflowToken, revision },
          {
            $set: { ...contentOf(change), updatedAt: now },
            $inc: { revision: 1 },
            $addToSet: { aliases: { $each: slugs } },
          },
          { ...operationOptions(ctx), returnDocument: 'after' },
        );
        return document === null ? undefined : toWorkflow(document);
      }),

    async delete(_ctx, accountId, workflowToken, { isForced, now }) {
      const using = { accountId, workflowTokens: workflowToken };
      const removal = { $pull: { workflowTokens: workflowToken }, $set: { updatedAt: now } };
      const deletion = await store.withTransaction<WorkflowDeletion>(async (session) => {
        const found = await workflows.findOne({ accountId, _id: workflowToken }, { session });
        if (found === null) return { kind: 'missing' };
        const holders = await toolsets
          .find(using, { session, projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(MAX_USES)
          .toArray();
        if (holders.length > 0 && !isForced)
          return { kind: 'inUse', toolsetIds: holders.map(({ _id }) => _id) };
        if (holders.length > 0) await toolsets.updateMany(using, removal, { session });
        await workflows.deleteOne({ accountId, _id: workflowToken }, { session });
        return { kind: 'deleted' };
      });
      // A toolset saved before this commit may have checked the workflow as existing. The deletion is committed, so the caller's deadline
      // no longer applies.
      if (deletion.kind === 'deleted') await toolsets.updateMany(using, removal);
      return deletion;
    },
  };
}

/** Decodes a workflow. */
export function toWorkflow(document: WorkflowDocument): Workflow {
  const { inputSchema, steps, output, ...same } = membersOf(document);
  // contentOf wrote these texts.
  return {
    ...same,
    inputSchema: JSON.parse(inputSchema) as JsonObject,
    steps: steps.map((step) => ({ ...step, fields: JSON.parse(step.fields) as JsonObject })),
    output: JSON.parse(output) as Json,
  };
}

function toListedWorkflow(document: WorkflowDocument): WorkflowView {
  const { inputSchema, steps, output, ...same } = membersOf(document);
  return {
    ...same,
    inputSchema: unparsed(inputSchema),
    steps: steps.map((step) => ({ ...step, fields: unparsed(step.fields) })),
    output: unparsed(output),
  };
}

function unparsed(text: string): LazyJson {
  return new LazyJson(Buffer.from(text));
}

function membersOf<T extends Pick<WorkflowDocument, '_id' | 'accountId' | 'aliases' | 'slug'>>({
  _id,
  accountId: _account,
  aliases = [],
  ...same
}: T) {
  return { ...same, workflowToken: _id, aliases: aliases.filter((slug) => slug !== same.slug) };
}

function contentOf({ inputSchema, steps, output, ...same }: WorkflowChange): Partial<WorkflowDocument> {
  return {
    ...same,
    ...(inputSchema !== undefined && { inputSchema: JSON.stringify(inputSchema) }),
    ...(steps !== undefined && {
      steps: steps.map((step) => ({ ...step, fields: JSON.stringify(step.fields) })),
    }),
    ...(output !== undefined && { output: JSON.stringify(output) }),
  };
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await write();
  } catch (error) {
    const isTaken =
      isDuplicateKey(error) &&
      [SLUG_INDEX, ALIASES_INDEX].some((name) => error.message.includes(`index: ${name} `));
    if (isTaken) return 'taken';
    throw error;
  }
}
