import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo';
import type { Document } from 'mongodb';
import type { KeyOwner } from '../domain/records.ts';
import type { IdentityStore } from '../use-cases/seed-account.ts';
import { accountCollection } from './account.collection.ts';
import type { AccountDocument } from './account.collection.ts';
import { apiKeyCollection } from './api-key.collection.ts';
import type { ApiKeyDocument } from './api-key.collection.ts';
import { membershipCollection } from './membership.collection.ts';
import type { MembershipDocument } from './membership.collection.ts';
import { userCollection } from './user.collection.ts';
import type { UserDocument } from './user.collection.ts';

/** Every collection of the identity room. */
export const identityCollections = [
  accountCollection,
  userCollection,
  membershipCollection,
  apiKeyCollection,
];

/** A lookup that takes longer fails: a request must not hang on a database in trouble. */
const LOOKUP_LIMIT_MS = 5000;

interface KeyOwnerRow {
  readonly key: ApiKeyDocument;
  readonly account: AccountDocument;
  readonly user: UserDocument;
  readonly membership?: MembershipDocument;
}

/** Accounts, users, memberships and API keys in the gateway's database. */
export interface IdentityRepository extends IdentityStore {
  /** The API key of that hash with its owner and account; undefined where any of the three is missing. One query. */
  findKeyOwner(hash: string): Promise<KeyOwner | undefined>;
}

/** The repository on `store`, whose collections are identityCollections. */
export function identityRepository(store: MongoStore): IdentityRepository {
  const accounts = store.collection(accountCollection);
  const users = store.collection(userCollection);
  const memberships = store.collection(membershipCollection);
  const apiKeys = store.collection(apiKeyCollection);
  return {
    async findKeyOwner(hash) {
      const [row] = await apiKeys
        .aggregate<KeyOwnerRow>(keyOwnerPipeline(hash), { maxTimeMS: LOOKUP_LIMIT_MS })
        .toArray();
      return row === undefined ? undefined : toKeyOwner(row);
    },
    async findUserByEmail(email) {
      const user = await users.findOne({ email });
      return user === null ? undefined : { id: user._id, passwordHash: user.passwordHash };
    },
    async findOwnedAccount(userId) {
      const membership = await memberships.findOne({ userId, role: 'owner' });
      return membership?.accountId;
    },
    async putAccount({ id, name, isRbacEnabled }, now) {
      await accounts.updateOne(
        { _id: id },
        { $setOnInsert: { name, isRbacEnabled, createdAt: now, updatedAt: now } },
        { upsert: true },
      );
    },
    async insertUser({ id, email, name }, passwordHash, now) {
      await users.insertOne({ _id: id, email, name, passwordHash, createdAt: now, updatedAt: now });
    },
    async setPasswordHash(userId, passwordHash, now) {
      await users.updateOne({ _id: userId }, { $set: { passwordHash, updatedAt: now } });
    },
    async putMembership({ accountId, userId, role, isActive }, now) {
      await memberships.updateOne(
        { accountId, userId },
        { $setOnInsert: { _id: prefixedId('mem'), role, isActive, createdAt: now, updatedAt: now } },
        { upsert: true },
      );
    },
    async putApiKey({ accountId, userId, name, hash }, now) {
      await apiKeys.updateOne(
        { hash },
        {
          $setOnInsert: {
            _id: prefixedId('key'),
            accountId,
            userId,
            name,
            expiresAt: null,
            revokedAt: null,
            createdAt: now,
            updatedAt: now,
          },
        },
        { upsert: true },
      );
    },
    async revokeOtherKeys({ accountId, name, hash }, now) {
      await apiKeys.updateMany(
        { accountId, name, hash: { $ne: hash }, revokedAt: null },
        { $set: { revokedAt: now, updatedAt: now } },
      );
    },
  };
}

/** Finds a key by its hash, and with it account, owner and membership. Exported for the test of its indexes. */
export function keyOwnerPipeline(hash: string): Document[] {
  return [
    { $match: { hash } },
    { $project: { _id: 0, key: '$$ROOT' } },
    joined(accountCollection.name, { _id: '$$accountId' }, 'account'),
    joined(userCollection.name, { _id: '$$userId' }, 'user'),
    joined(membershipCollection.name, { accountId: '$$accountId', userId: '$$userId' }, 'membership'),
    { $unwind: '$account' },
    { $unwind: '$user' },
    { $unwind: { path: '$membership', preserveNullAndEmptyArrays: true } },
  ];
}

function joined(from: string, by: Readonly<Record<string, string>>, as: string): Document {
  const $and = Object.entries(by).map(([field, variable]) => ({ $eq: [`$${field}`, variable] }));
  return {
    $lookup: {
      from,
      let: { accountId: '$key.accountId', userId: '$key.userId' },
      pipeline: [{ $match: { $expr: { $and } } }],
      as,
    },
  };
}

function toKeyOwner({ key, account, user, membership }: KeyOwnerRow): KeyOwner {
  return {
    key: { id: key._id, name: key.name, expiresAt: key.expiresAt, revokedAt: key.revokedAt },
    account: { id: account._id, name: account.name, isRbacEnabled: account.isRbacEnabled },
    user: { id: user._id, email: user.email, name: user.name },
    membership:
      membership === undefined
        ? undefined
        : {
            accountId: membership.accountId,
            userId: membership.userId,
            role: membership.role,
            isActive: membership.isActive,
          },
  };
}
