import type { Clock } from '@fairlead/service-kit/clock';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MAX_SUBSCRIPTIONS } from '../session-clients.ts';
import type { SessionClients, SessionSubscriptions } from '../session-clients.ts';
import { sessionClientCollection } from './session-client.collection.ts';

/** Clients of sessions in the gateway's database. */
export function sessionClientRepository(store: MongoStore, clock: Clock): SessionClients {
  const clients = store.collection(sessionClientCollection);
  // The TTL index deletes documents with a delay.
  const current = (key: string) => ({ _id: key, expiresAt: { $gt: clock.now() } });
  return {
    async find(ctx, key) {
      const projection = { subscriptions: 0 };
      const found = await clients.findOne(current(key), { projection, ...operationOptions(ctx) });
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
  };
}

/** The sessions' subscriptions, in the same documents. */
export function sessionSubscriptionRepository(store: MongoStore, clock: Clock): SessionSubscriptions {
  const clients = store.collection(sessionClientCollection);
  return {
    async find(ctx, key) {
      const filter = { _id: key, expiresAt: { $gt: clock.now() } };
      const projection = { subscriptions: 1 };
      const found = await clients.findOne(filter, { projection, ...operationOptions(ctx) });
      return found?.subscriptions ?? [];
    },
    async add(ctx, { key, expiresAt }, uri) {
      const present = { $ifNull: ['$subscriptions', []] };
      const subscriptions = {
        $cond: [
          { $lt: [{ $size: present }, MAX_SUBSCRIPTIONS] },
          { $setUnion: [present, [{ $literal: uri }]] },
          present,
        ],
      };
      const changed = await clients.findOneAndUpdate({ _id: key }, [{ $set: { subscriptions, expiresAt } }], {
        upsert: true,
        returnDocument: 'after',
        projection: { subscriptions: 1 },
        ...operationOptions(ctx),
      });
      return changed?.subscriptions?.includes(uri) === true;
    },
    async remove(ctx, key, uri) {
      await clients.updateOne({ _id: key }, { $pull: { subscriptions: uri } }, operationOptions(ctx));
    },
  };
}
