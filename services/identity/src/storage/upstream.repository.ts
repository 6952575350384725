import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { UpstreamStore } from '../ports/upstream-store.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { upstreamSignInCollection } from './upstream-sign-in.collection.ts';

/** Upstream sign-ins and links in the database. */
export function upstreamRepository(o: { readonly store: MongoStore; readonly clock: Clock }): UpstreamStore {
  const { store, clock } = o;
  const links = store.collection(upstreamLinkCollection);
  const signIns = store.collection(upstreamSignInCollection);
  return {
    async putSignIn({ interactionId, hash, expiresAt }) {
      await signIns.updateOne(
        { _id: interactionId },
        { $set: { hash, expiresAt } },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    async takeSignIn({ interactionId, hash }) {
      const taken = await signIns.findOneAndDelete(
        { _id: interactionId, hash, expiresAt: { $gt: clock.now() } },
        OPERATION_LIMIT,
      );
      return taken !== null;
    },
    async findLinked({ issuer, subject }) {
      const found = await links.find({ issuer, subject }, OPERATION_LIMIT).toArray();
      return found.map(({ userId }) => userId);
    },
    async link({ issuer, subject }, { userId, accountId }) {
      const now = clock.now();
      try {
        await links.updateOne(
          { issuer, userId, subject },
          { $setOnInsert: { _id: prefixedId('upl'), accountId, createdAt: now, updatedAt: now } },
          { upsert: true, ...OPERATION_LIMIT },
        );
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The user is linked to another identity, or a concurrent request created the same link.
        return (await links.findOne({ issuer, userId, subject }, OPERATION_LIMIT)) !== null;
      }
    },
  };
}
