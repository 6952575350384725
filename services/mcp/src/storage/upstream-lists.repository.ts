import { uuidv7 } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Binary } from 'mongodb';
import type { UpstreamListStore } from '../ports/upstreams.ts';
import { upstreamListsCollection } from './upstream-lists.collection.ts';

/** Maximum number of an account's connections with stored lists, up to 1 MiB each. */
export const MAX_KEPT = 200;

/** The last known lists in MongoDB. */
export function createUpstreamListRepository(store: MongoStore): UpstreamListStore {
  const collection = store.collection(upstreamListsCollection);
  return {
    async find(ctx, { accountId, connectionId }, knownDigest) {
      const filter = { accountId, connectionId };
      const head = await collection.findOne(filter, {
        ...operationOptions(ctx),
        projection: { digest: 1, readAt: 1 },
      });
      if (head === null) return undefined;
      if (head.digest === knownDigest) return { digest: head.digest, readAt: head.readAt, lists: undefined };
      const document = await collection.findOne(filter, operationOptions(ctx));
      if (document === null) return undefined;
      const { digest, readAt, prompts, resources, templates } = document;
      const { hasPrompts, hasResources, hasCompletions, hasSubscriptions } = document;
      return {
        digest,
        readAt,
        lists: {
          prompts: prompts.value(),
          resources: resources.value(),
          templates: templates.value(),
          hasPrompts,
          hasResources,
          hasCompletions,
          hasSubscriptions,
        },
      };
    },

    async save(ctx, { accountId, connectionId }, { digest, readAt }, lists) {
      const { prompts, resources, templates, ...abilities } = lists;
      const { upsertedCount } = await collection.updateOne(
        { accountId, connectionId },
        {
          $setOnInsert: { _id: uuidv7(readAt) },
          $set: {
            digest,
            readAt,
            ...abilities,
            prompts: new Binary(prompts),
            resources: new Binary(resources),
            templates: new Binary(templates),
          },
        },
        { ...operationOptions(ctx), upsert: true },
      );
      if (upsertedCount === 0) return;
      const count = await collection.countDocuments({ accountId }, operationOptions(ctx));
      if (count <= MAX_KEPT) return;
      const oldest = collection
        .find({ accountId }, { ...operationOptions(ctx), projection: { connectionId: 1 } })
        .sort({ readAt: 1 })
        .limit(count - MAX_KEPT);
      for await (const { connectionId: id } of oldest)
        await collection.deleteOne({ accountId, connectionId: id }, operationOptions(ctx));
    },

    async touch(ctx, { accountId, connectionId }, readAt) {
      await collection.updateOne({ accountId, connectionId }, { $set: { readAt } }, operationOptions(ctx));
    },

    async remove(ctx, { accountId, connectionId }) {
      await collection.deleteOne({ accountId, connectionId }, operationOptions(ctx));
    },
  };
}
