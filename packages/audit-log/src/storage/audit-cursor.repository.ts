import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { FetchPositions } from '../ports/fetch-positions.ts';
import { auditCursorCollection } from './audit-cursor.collection.ts';

/** Longer than a healthy write takes, shorter than the lease that the write needs. */
const WRITE_LIMIT_MS = 5_000;

/** The positions in the gateway's database, whose collection is auditCursorCollection. */
export function auditCursorRepository(store: MongoStore): FetchPositions {
  const cursors = store.collection(auditCursorCollection);
  return {
    async find(ctx, service) {
      const found = await cursors.findOne({ _id: service }, operationOptions(ctx));
      return found === null ? undefined : { cursor: found.cursor, completeAt: found.completeAt };
    },
    async save(service, { cursor, completeAt }) {
      await cursors.updateOne(
        { _id: service },
        { $set: { cursor, ...(completeAt && { completeAt }) } },
        { upsert: true, maxTimeMS: WRITE_LIMIT_MS },
      );
    },
  };
}
