import { uuidv7 } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { ServedDefinitions } from '../ports/served-definitions.ts';
import { servedDefinitionCollection } from './served-definition.collection.ts';
import type { ServedDefinitionDocument } from './served-definition.collection.ts';

type Write = AnyBulkWriteOperation<ServedDefinitionDocument>;

/** The definitions in MongoDB. */
export function createServedDefinitionRepository(store: MongoStore): ServedDefinitions {
  const definitions = store.collection(servedDefinitionCollection);

  async function write(ctx: Parameters<typeof operationOptions>[0], writes: Write[]): Promise<void> {
    if (writes.length > 0) await definitions.bulkWrite(writes, { ...operationOptions(ctx), ordered: false });
  }

  return {
    async list(ctx, { accountId, serverId }) {
      const documents = await definitions.find({ accountId, serverId }, operationOptions(ctx)).toArray();
      return documents.map(({ _id, accountId: _account, serverId: _server, createdAt: _at, ...same }) => ({
        id: _id,
        ...same,
      }));
    },

    save: (ctx, { accountId, serverId }, { added, changed, restored }, now) =>
      write(ctx, [
        ...added.map(({ applicationSlug, toolSlug, ...members }): Write => {
          const filter = { accountId, serverId, applicationSlug, toolSlug };
          const update = { $setOnInsert: { _id: uuidv7(now), ...members, createdAt: now } };
          return { updateOne: { filter, update, upsert: true } };
        }),
        ...changed.map(({ applicationSlug, toolSlug, changed: change }): Write => {
          const filter = { accountId, serverId, applicationSlug, toolSlug };
          return { updateOne: { filter, update: { $set: { changed: change } } } };
        }),
        ...restored.map(({ applicationSlug, toolSlug }): Write => {
          const filter = { accountId, serverId, applicationSlug, toolSlug };
          return { updateOne: { filter, update: { $unset: { changed: '' } } } };
        }),
      ]),

    accept: (ctx, { accountId, serverId }, tools) =>
      write(
        ctx,
        tools.map(({ applicationSlug, toolSlug, changed }): Write => {
          const { at: _at, ...definition } = changed;
          const filter = { accountId, serverId, applicationSlug, toolSlug, changed };
          return { updateOne: { filter, update: { $set: { definition }, $unset: { changed: '' } } } };
        }),
      ),

    async remove(ctx, { accountId, serverId }, ids) {
      const some = ids === undefined ? {} : { _id: { $in: [...ids] } };
      await definitions.deleteMany({ accountId, serverId, ...some }, operationOptions(ctx));
    },
  };
}

export function toExportedDefinition(document: ServedDefinitionDocument): object {
  const { _id, accountId: _account, ...same } = document;
  return { id: _id, ...same };
}
