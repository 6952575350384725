import type { Clock } from '@fairlead/service-kit/clock';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { SessionClients } from '../session-clients.ts';
import { sessionClientCollection } from './session-client.collection.ts';

/** Clients of sessions in the gateway's database. */
export function sessionClientRepository(store: MongoStore, clock: Clock): SessionClients {
  const clients = store.collection(sessionClientCollection);
  return {
    async find(ctx, key) {
      // The index deletes documents late.
      const filter = { _id: key, expiresAt: { $gt: clock.now() } };
      const found = await clients.findOne(filter, operationOptions(ctx));
      if (found === null) return undefined;
      const { _id, expiresAt: _expiresAt, ...record } = found;
      return record;
    },
    async add(ctx, { key, expiresAt }, record) {
      await clients.updateOne(
        { _id: key },
        { $set: { ...record, expiresAt } },
        { upsert: true, ...operationOptions(ctx) },
      );
    },
    async follow(ctx, { key, expiresAt }, uri, isFollowed) {
      const change = isFollowed
        ? { $addToSet: { resourceUris: uri }, $set: { expiresAt } }
        : { $pull: { resourceUris: uri }, $set: { expiresAt } };
      await clients.updateOne({ _id: key }, change, { upsert: isFollowed, ...operationOptions(ctx) });
    },
  };
}
