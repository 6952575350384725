import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** Where writes of one end user's connections meet, so that of two at the same time one sees the other. */
export interface EndUserDocument {
  readonly accountId: string;
  readonly endUserId: string;
  /** Grows with every connection that is stored. */
  readonly writes: number;
}

/** The end users that have, or had, connections, until they are deleted. */
export const endUserCollection = defineCollection<EndUserDocument>({
  name: 'end_users',
  indexes: [{ key: { accountId: 1, endUserId: 1 }, name: 'one_an_end_user', unique: true }],
});
