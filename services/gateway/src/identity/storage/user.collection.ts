import { defineCollection } from '@fairlead/service-kit/mongo';

/** A user as it is stored. */
export interface UserDocument {
  readonly _id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** PHC string of argon2id. */
  readonly passwordHash: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Users, by their `usr_` id; one an e-mail address. */
export const userCollection = defineCollection<UserDocument>({
  name: 'users',
  indexes: [{ key: { email: 1 }, unique: true }],
});
