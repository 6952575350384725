import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { User } from '../domain/records.ts';

export interface UserDocument extends Omit<User, 'id'> {
  readonly _id: string;
  /** argon2id hash as a PHC string; null: the user cannot sign in with a password. */
  readonly passwordHash: string | null;
}

/** Users, by their `usr_` id; e-mail addresses are unique per account. Sign-in looks users up by address alone. */
export const userCollection = defineCollection<UserDocument>({
  name: 'users',
  indexes: [
    { key: { accountId: 1, email: 1 }, unique: true },
    { key: { accountId: 1, createdAt: -1, _id: -1 } },
    { key: { email: 1 } },
    // Index for checking whether an account has another owner: the account's other changes wait for this.
    { key: { accountId: 1, role: 1 }, partialFilterExpression: { role: 'owner' } },
  ],
});

/** Decodes a document. */
export function toUser(document: UserDocument): User {
  const { _id: id, accountId, email, name, role, isActive, createdAt, updatedAt } = document;
  return { id, accountId, email, name, role, isActive, createdAt, updatedAt };
}

/** Encodes a user. */
export function userDocument({ id, ...user }: User, passwordHash: string | null): UserDocument {
  return { _id: id, ...user, passwordHash };
}
