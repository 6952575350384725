import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { LockDocument } from '@fairlead/service-kit/mongo/creation-locks';

/** The document that makes concurrent creations of an end user's connections conflict. */
export interface EndUserDocument extends LockDocument {
  readonly accountId: string;
  readonly endUserId: string;
}

/** End users that have, or had, connections, until they are deleted. */
export const endUserCollection = defineCollection<EndUserDocument>({
  name: 'end_users',
  indexes: [{ key: { accountId: 1, endUserId: 1 }, name: 'one_an_end_user', unique: true }],
});
