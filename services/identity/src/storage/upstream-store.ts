import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MongoServerError } from 'mongodb';
import type { UpstreamStore } from '../ports/upstream-store.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { upstreamSignInCollection } from './upstream-sign-in.collection.ts';

const DUPLICATE_KEY = 11_000;
/** A call that takes longer fails: a sign-in must not hang on a database in trouble. */
const limited = { maxTimeMS: 5000 };

/** Upstream sign-ins and links in the gateway's database. */
export function upstreamStore(o: { readonly store: MongoStore; readonly clock: Clock }): UpstreamStore {
  const { store, clock } = o;
  const links = store.collection(upstreamLinkCollection);
  const signIns = store.collection(upstreamSignInCollection);
  return {
    async putSignIn({ interactionId, hash, expiresAt }) {
      await signIns.updateOne(
        { _id: interactionId },
        { $set: { hash, expiresAt } },
        { upsert: true, ...limited },
      );
    },
    async takeSignIn({ interactionId, hash }) {
      const taken = await signIns.findOneAndDelete(
        { _id: interactionId, hash, expiresAt: { $gt: clock.now() } },
        limited,
      );
      return taken !== null;
    },
    async findLinked({ issuer, subject }) {
      const found = await links.find({ issuer, subject }, limited).toArray();
      return found.map(({ userId }) => userId);
    },
    async link({ issuer, subject }, { userId, accountId }) {
      const now = clock.now();
      try {
        await links.updateOne(
          { issuer, userId, subject },
          { $setOnInsert: { _id: prefixedId('upl'), accountId, createdAt: now, updatedAt: now } },
          { upsert: true, ...limited },
        );
        return true;
      } catch (error) {
        if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
        // Either another identity has the user, or a concurrent request linked this one.
        return (await links.findOne({ issuer, userId, subject }, limited)) !== null;
      }
    },
    async eraseLinks(accountId) {
      await links.deleteMany({ accountId });
    },
  };
}
