import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { SignInEnds } from '../ports/sign-in-ends.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { signInEndCollection } from './sign-in-end.collection.ts';

/** Longer than the lifetime of an unused browser session. */
const KEPT_MS = 8 * 24 * 60 * 60_000;

/** The repository on `store`, whose collections hold signInEndCollection. */
export function signInEndRepository(o: { readonly store: MongoStore; readonly clock: Clock }): SignInEnds {
  const ends = o.store.collection(signInEndCollection);
  return {
    async note({ accountId, userId }) {
      const endedAt = o.clock.now();
      const expiresAt = new Date(endedAt.getTime() + KEPT_MS);
      await ends.updateOne(
        { _id: userId },
        { $set: { accountId, endedAt, expiresAt } },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    async isOver(userId, signedInAt) {
      const end = await ends.findOne({ _id: userId }, OPERATION_LIMIT);
      // Sign-ins have a resolution of seconds: one in the same second as the end may already be the first with the new password.
      return end !== null && signedInAt < Math.floor(end.endedAt.getTime() / 1000);
    },
  };
}
