import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { UserStore } from '../ports/user-store.ts';
import { changePeople } from './people-transaction.ts';
import { toUser, userCollection, userDocument } from './user.collection.ts';

/** Users in the database. */
export function userRepository(store: MongoStore): UserStore {
  const users = store.collection(userCollection);
  return {
    async list(ctx, accountId, page) {
      const { documents, totalCount } = await newestPage(users, ctx, { accountId }, page);
      return { items: documents.map(toUser), totalCount };
    },

    async insert(ctx, user, passwordHash) {
      const inserted = await unlessTaken(
        changePeople(store, ctx, user.accountId, (options) =>
          users.insertOne(userDocument(user, passwordHash), options),
        ),
      );
      return inserted !== 'taken';
    },

    change: (ctx, accountId, userId, decide, now) =>
      unlessTaken(
        changePeople(store, ctx, accountId, async (options) => {
          const current = await users.findOne({ _id: userId, accountId }, options);
          if (current === null) return undefined;
          const otherOwner = await users.findOne(
            { accountId, role: 'owner', isActive: true, _id: { $ne: userId } },
            options,
          );
          const write = decide(toUser(current), otherOwner !== null);
          const changed = await users.findOneAndUpdate(
            { _id: userId, accountId },
            { $set: { ...write, updatedAt: now } },
            { ...options, returnDocument: 'after' },
          );
          return changed === null ? undefined : toUser(changed);
        }),
      ),
  };
}

/** Returns `taken` if the write violates the only unique index, on e-mail addresses per account. */
async function unlessTaken<R>(write: Promise<R>): Promise<R | 'taken'> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicateKey(error)) return 'taken';
    throw error;
  }
}
