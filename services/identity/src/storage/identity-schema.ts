import type { Migration } from '@fairlead/service-kit/mongo/schema';
import type { Db } from 'mongodb';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { accountCollection } from './account.collection.ts';
import type { AccountDocument } from './account.collection.ts';
import { apiKeyCollection } from './api-key.collection.ts';
import type { ApiKeyDocument } from './api-key.collection.ts';
import { userCollection } from './user.collection.ts';
import type { UserDocument } from './user.collection.ts';

/** Every collection of the identity module. */
export const identityCollections = [accountCollection, userCollection, apiKeyCollection];

/** A user's membership in an account, from when a user could belong to several accounts. */
interface MembershipDocument extends Pick<UserDocument, 'accountId' | 'role' | 'isActive' | 'createdAt'> {
  readonly _id: string;
  readonly userId: string;
}

const MEMBERSHIPS = 'memberships';

/** Migrates the documents of earlier versions. */
export const identityMigrations: readonly Migration[] = [
  { id: '2026-11-identity-defaults', up: addDefaults },
  { id: '2026-11-identity-users-of-accounts', up: moveUsersIntoAccounts },
];

async function addDefaults(db: Db): Promise<void> {
  const missing = { $exists: false };
  const accounts = db.collection<AccountDocument>(accountCollection.name);
  await accounts.updateMany({ budgets: missing }, { $set: { budgets: DEFAULT_BUDGETS } });
  await accounts.updateMany({ defaultLicence: missing }, { $set: { defaultLicence: 'active' } });
  await accounts.updateMany({ erasingAt: missing }, { $set: { erasingAt: null } });
  const apiKeys = db.collection<ApiKeyDocument>(apiKeyCollection.name);
  await apiKeys.updateMany({ lastUsedAt: missing }, { $set: { lastUsedAt: null } });
  await apiKeys.updateMany({ maskedKey: missing }, { $set: { maskedKey: null } });
}

/**
 * Makes each user belong to one account. A member of several accounts gets another user in each further one, with the
 * same name and password, which takes over the keys there. Repeatable: the further users' ids derive from those of the
 * memberships, which are deleted last.
 */
async function moveUsersIntoAccounts(db: Db): Promise<void> {
  const users = db.collection<UserDocument>(userCollection.name);
  const memberships = db.collection<MembershipDocument>(MEMBERSHIPS);
  const isIndexed = (await users.indexes()).some(({ name, unique }) => name === 'email_1' && unique === true);
  // The index of earlier versions, in which an e-mail address was unique.
  if (isIndexed) await users.dropIndex('email_1');
  for await (const membership of memberships.find().sort({ createdAt: 1, _id: 1 })) {
    await moveUser(db, membership);
  }
  await users.deleteMany({ accountId: { $exists: false } });
  await memberships.drop();
}

async function moveUser(
  db: Db,
  { _id, accountId, userId, role, isActive }: MembershipDocument,
): Promise<void> {
  const users = db.collection<UserDocument>(userCollection.name);
  const user = await users.findOne({ _id: userId });
  if (user === null) return;
  // Documents of earlier versions lack the account that their type promises.
  const isFirst = !('accountId' in user) || user.accountId === accountId;
  const id = isFirst ? userId : `usr_${_id.slice(_id.indexOf('_') + 1)}`;
  const { _id: _first, ...fields } = user;
  await users.replaceOne({ _id: id }, { ...fields, accountId, role, isActive }, { upsert: true });
  if (isFirst) return;
  await db
    .collection<ApiKeyDocument>(apiKeyCollection.name)
    .updateMany({ accountId, userId }, { $set: { userId: id } });
}
