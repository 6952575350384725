import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Document } from 'mongodb';
import type { Member } from '../domain/records.ts';
import type { CredentialStore, SignInStore } from '../ports/credential-store.ts';
import { accountCollection, toAccount } from './account.collection.ts';
import type { AccountDocument } from './account.collection.ts';
import { apiKeyCollection, toApiKey } from './api-key.collection.ts';
import type { ApiKeyDocument } from './api-key.collection.ts';
import { toUser, userCollection } from './user.collection.ts';
import type { UserDocument } from './user.collection.ts';

/** A lookup that takes longer fails: a request must not hang on a database in trouble. */
const LIMIT = { maxTimeMS: 5000 };

interface MemberRow {
  readonly user: UserDocument;
  readonly account: AccountDocument;
}

interface KeyOwnerRow extends MemberRow {
  readonly key: ApiKeyDocument;
}

/** Finds the owners of credentials; each method is one query. */
export function credentialRepository(store: MongoStore): CredentialStore & SignInStore {
  const users = store.collection(userCollection);
  const apiKeys = store.collection(apiKeyCollection);
  return {
    async findKeyOwner(hash) {
      const [row] = await apiKeys.aggregate<KeyOwnerRow>(keyOwnerPipeline(hash), LIMIT).toArray();
      return row === undefined ? undefined : { ...toMember(row), key: toApiKey(row.key) };
    },
    async findMember(accountId, userId) {
      const [row] = await users
        .aggregate<MemberRow>(memberPipeline({ _id: userId, accountId }), LIMIT)
        .toArray();
      return row === undefined ? undefined : toMember(row);
    },
    async findMembershipsOf(userId) {
      const rows = await users
        .aggregate<MemberRow>(memberPipeline({ _id: userId, isActive: true }), LIMIT)
        .toArray();
      return rows.map(toMember).filter(isOpen);
    },
    async findByEmail(email) {
      const rows = await users.aggregate<MemberRow>(memberPipeline({ email }), LIMIT).toArray();
      return rows
        .map((row) => ({ member: toMember(row), passwordHash: row.user.passwordHash }))
        .filter(({ member }) => isOpen(member))
        .sort((a, b) => (a.member.account.name < b.member.account.name ? -1 : 1));
    },
  };
}

/** Finds a key by its hash, with its user and account. Exported for the test of its indexes. */
export function keyOwnerPipeline(hash: string): Document[] {
  return [
    { $match: { hash } },
    { $project: { _id: 0, key: '$$ROOT' } },
    ...joined(userCollection.name, 'key.userId', 'user'),
    // A key and its user must be in one account; otherwise the key would give access to the other account.
    { $match: { $expr: { $eq: ['$user.accountId', '$key.accountId'] } } },
    ...joined(accountCollection.name, 'key.accountId', 'account'),
  ];
}

/** Finds users, each with its account. Exported for the test of its indexes. */
export function memberPipeline(filter: Partial<UserDocument>): Document[] {
  return [
    { $match: filter },
    { $project: { _id: 0, user: '$$ROOT' } },
    ...joined(accountCollection.name, 'user.accountId', 'account'),
  ];
}

function joined(from: string, localField: string, as: string): Document[] {
  return [{ $lookup: { from, localField, foreignField: '_id', as } }, { $unwind: `$${as}` }];
}

function toMember({ account, user }: MemberRow): Member {
  return { account: toAccount(account), user: toUser(user) };
}

function isOpen({ account }: Member): boolean {
  return account.erasingAt === null;
}
