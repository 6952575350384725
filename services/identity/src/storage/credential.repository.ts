import type { Clock } from '@fairlead/service-kit/clock';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Document } from 'mongodb';
import type { Account, Member, TokenClaims, User } from '../domain/records.ts';
import type { CredentialStore, SignInStore } from '../ports/credential-store.ts';
import { accountCollection, toAccount } from './account.collection.ts';
import type { AccountDocument } from './account.collection.ts';
import { apiKeyCollection, toApiKey } from './api-key.collection.ts';
import type { ApiKeyDocument } from './api-key.collection.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { revokedTokenCollection } from './revoked-token.collection.ts';
import { toUser, userCollection } from './user.collection.ts';
import type { UserDocument } from './user.collection.ts';

interface MemberRow {
  readonly user: UserDocument;
  readonly account: AccountDocument;
}

interface KeyOwnerRow extends MemberRow {
  readonly key: ApiKeyDocument;
}

/** Looks up owners of credentials, and users who sign in. */
export function credentialRepository(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
}): CredentialStore & SignInStore {
  const accounts = o.store.collection(accountCollection);
  const users = o.store.collection(userCollection);
  const apiKeys = o.store.collection(apiKeyCollection);

  async function members(filter: Partial<UserDocument>): Promise<readonly MemberRow[]> {
    return users.aggregate<MemberRow>(memberPipeline(filter), OPERATION_LIMIT).toArray();
  }

  return {
    async findKeyOwners(ctx, hashes) {
      const pipeline = keyOwnersPipeline(hashes);
      const rows = await apiKeys.aggregate<KeyOwnerRow>(pipeline, operationOptions(ctx)).toArray();
      return new Map(rows.map((row) => [row.key.hash, { ...toMember(row), key: toApiKey(row.key) }]));
    },
    async findTokenOwner(ctx, token) {
      const pipeline = tokenOwnerPipeline(token, o.clock.now());
      const [row] = await users.aggregate<MemberRow>(pipeline, operationOptions(ctx)).toArray();
      return row === undefined ? undefined : toMember(row);
    },
    async findMembers(ctx, references) {
      const options = operationOptions(ctx);
      const userIds = references.flatMap(({ userId }) => (userId === undefined ? [] : [userId]));
      const keyIds = references.flatMap(({ keyId }) => (keyId === undefined ? [] : [keyId]));
      const [foundAccounts, foundUsers, foundKeys] = await Promise.all([
        accounts.find({ _id: { $in: references.map(({ accountId }) => accountId) } }, options).toArray(),
        userIds.length === 0 ? [] : users.find({ _id: { $in: userIds } }, options).toArray(),
        keyIds.length === 0 ? [] : apiKeys.find({ _id: { $in: keyIds }, revokedAt: null }, options).toArray(),
      ]);
      const accountById = new Map(
        foundAccounts.map((found): [string, Account] => [found._id, toAccount(found)]),
      );
      const userById = new Map(foundUsers.map((found): [string, User] => [found._id, toUser(found)]));
      const now = o.clock.now();
      const ownerByKey = new Map(
        foundKeys
          .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
          .map((key): [string, string] => [key._id, key.userId]),
      );
      return references.map(({ accountId, userId, keyId }) => {
        const user = userId === undefined ? undefined : userById.get(userId);
        const isTheirs = keyId === undefined || ownerByKey.get(keyId) === userId;
        return {
          account: accountById.get(accountId),
          user: user?.accountId === accountId && isTheirs ? user : undefined,
        };
      });
    },

    async findMembershipsOf(userId) {
      const rows = await members({ _id: userId, isActive: true });
      return rows.map(toMember).filter(isOpen);
    },
    async findByEmail(email) {
      const rows = await members({ email });
      return rows
        .map((row) => ({ member: toMember(row), passwordHash: row.user.passwordHash }))
        .filter(({ member }) => isOpen(member))
        .sort((a, b) => (a.member.account.name < b.member.account.name ? -1 : 1));
    },
    async findAccountOf(userId) {
      const options = { projection: { accountId: 1 }, ...OPERATION_LIMIT };
      return (await users.findOne({ _id: userId }, options))?.accountId;
    },
  };
}

/** Finds keys by their hashes, with their users and accounts. Exported for the test of its indexes. */
export function keyOwnersPipeline(hashes: readonly string[]): Document[] {
  return [
    { $match: { hash: { $in: [...hashes] } } },
    { $project: { _id: 0, key: '$$ROOT' } },
    ...joined(userCollection.name, 'key.userId', 'user'),
    // A key and its user must be in one account; otherwise the key would give access to the other account.
    { $match: { $expr: { $eq: ['$user.accountId', '$key.accountId'] } } },
    ...joined(accountCollection.name, 'key.accountId', 'account'),
  ];
}

/** Finds the user of a token with its account, unless the token was revoked. Exported for the test of its indexes. */
export function tokenOwnerPipeline(token: TokenClaims, now: Date): Document[] {
  const { accountId, userId, clientId, tokenId, grantId } = token;
  const liveness =
    grantId === undefined
      ? [
          ...requiring(
            'client',
            oauthClientCollection.name,
            { _id: clientId, kind: 'account', accountId },
            true,
          ),
          ...requiring('revocation', revokedTokenCollection.name, { _id: tokenId }, false),
        ]
      : requiring(
          'grant',
          oauthGrantCollection.name,
          { _id: grantId, accountId, expiresAt: { $gt: now } },
          true,
        );
  return [...memberPipeline({ _id: userId, accountId }), ...liveness];
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

/** Keeps the result only if a matching document exists in another collection, or only if none does. */
function requiring(as: string, from: string, filter: Document, exists: boolean): Document[] {
  return [
    { $lookup: { from, pipeline: [{ $match: filter }, { $project: { _id: 1 } }], as } },
    { $match: { [`${as}.0`]: { $exists: exists } } },
  ];
}

function toMember({ account, user }: MemberRow): Member {
  return { account: toAccount(account), user: toUser(user) };
}

function isOpen({ account }: Member): boolean {
  return account.erasingAt === null;
}
