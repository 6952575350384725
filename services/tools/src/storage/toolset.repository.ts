import { ApiError } from '@fairlead/errors/api-error';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import type { JsonObject } from '@fairlead/connector-model/json';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import type { ToolBindings, ToolsetPolicy } from '../domain/policy.ts';
import { affectsBindings, MAX_TOOLSETS } from '../domain/toolset.ts';
import type { ToolsetView, Toolset } from '../domain/toolset.ts';
import type { ToolsetStore } from '../ports/toolset-store.ts';
import { toolsetCollection } from './toolset.collection.ts';
import type { StoredPolicy, ToolsetDocument } from './toolset.collection.ts';

/** The toolsets in MongoDB. */
export function createToolsetRepository(store: MongoStore): ToolsetStore {
  const toolsets = store.collection(toolsetCollection);
  return {
    async insert(ctx, accountId, { id, policy, ...same }) {
      const document = { _id: id, accountId, ...same, policy: encodePolicy(policy) };
      const most = MAX_TOOLSETS;
      if (!(await insertWithin(store, ctx, { into: toolsets, document, most, like: { accountId } })))
        throw new ApiError('CONFLICT', `An account has at most ${most} toolsets.`);
    },

    async find(ctx, accountId, id) {
      const document = await toolsets.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toToolset(document);
    },

    list: (ctx, accountId, page) =>
      listNewestFirst(toolsets, ctx, { accountId }, page, { toItem: toListedToolset, hint: 'list' }),

    async update(ctx, accountId, { id, revision }, change, now) {
      const { policy, ...same } = change;
      const isBound = affectsBindings(change);
      const $set = {
        ...same,
        ...(policy !== undefined && { policy: encodePolicy(policy) }),
        updatedAt: now,
      };
      const document = await toolsets.findOneAndUpdate(
        // An absent revision counts as 0.
        {
          accountId,
          _id: id,
          ...(isBound && { revision: revision === 0 ? { $not: { $gt: 0 } } : revision }),
        },
        { $set, ...(isBound && { $inc: { revision: 1 } }) },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toToolset(document);
    },

    async removeMembers(ctx, accountId, id, { connectionIds, workflowTokens }) {
      const document = await toolsets.findOneAndUpdate(
        { accountId, _id: id },
        { $pullAll: { connectionIds: [...connectionIds], workflowTokens: [...workflowTokens] } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toToolset(document);
    },

    async delete(ctx, accountId, id) {
      const { deletedCount } = await toolsets.deleteOne({ accountId, _id: id }, operationOptions(ctx));
      return deletedCount === 1;
    },

    async listUses(ctx, accountId, used, most) {
      const using =
        'connectionId' in used
          ? { connectionIds: used.connectionId }
          : { workflowTokens: used.workflowToken };
      const documents = await toolsets
        .find({ accountId, ...using }, { ...operationOptions(ctx), projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(most)
        .toArray();
      return documents.map(({ _id }) => _id);
    },

    async removeUses(ctx, accountId, connectionIds, now) {
      const $in = [...connectionIds];
      await toolsets.updateMany(
        { accountId, connectionIds: { $in } },
        { $pull: { connectionIds: { $in } }, $set: { updatedAt: now } },
        operationOptions(ctx),
      );
    },
  };
}

/** Decodes a toolset. */
export function toToolset(document: ToolsetDocument): Toolset {
  const { policy, ...same } = membersOf(document);
  if (policy === null) return { ...same, policy };
  const { bindings, fixedFields, ...rest } = policy;
  const parsed = fixedFields.map(({ toolSlug, fields }) => [toolSlug, JSON.parse(fields)] as const);
  return {
    ...same,
    policy: {
      ...rest,
      // encodePolicy wrote both texts.
      fixedFields: Object.fromEntries(parsed) as Record<string, JsonObject>,
      ...(bindings !== undefined && { bindings: JSON.parse(bindings) as ToolBindings }),
    },
  };
}

function toListedToolset(document: ToolsetDocument): ToolsetView {
  const { policy, ...same } = membersOf(document);
  if (policy === null) return { ...same, policy };
  const { bindings: _bindings, fixedFields, ...rest } = policy;
  const unparsed = fixedFields.map(
    ({ toolSlug, fields }) => [toolSlug, new LazyJson(Buffer.from(fields))] as const,
  );
  return { ...same, policy: { ...rest, fixedFields: Object.fromEntries(unparsed) } };
}

function membersOf({ _id, accountId: _account, revision = 0, ...same }: ToolsetDocument) {
  return { ...same, id: _id, revision };
}

/** The toolset in an export: without the bindings of its slugs. */
export function toExportedToolset(document: ToolsetDocument): object {
  const { revision: _revision, tools, policy, ...same } = toToolset(document);
  const { bindings: _bindings, ...rest } = policy ?? {};
  return {
    ...same,
    tools: tools && tools.map(({ identity: _identity, ...tool }) => tool),
    policy: policy && rest,
  };
}

function encodePolicy(policy: ToolsetPolicy | null): StoredPolicy | null {
  if (policy === null) return null;
  const { bindings, fixedFields, ...same } = policy;
  return {
    ...same,
    fixedFields: Object.entries(fixedFields).map(([toolSlug, fields]) => ({
      toolSlug,
      fields: JSON.stringify(fields),
    })),
    ...(bindings !== undefined && { bindings: JSON.stringify(bindings) }),
  };
}
