import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** An application that an account owns. */
export interface AccountApplicationDocument {
  accountId: string;
  slug: string;
  /** The compiled connector as JSON text: JSON Schemas have member names that a document must not have. */
  connector: string;
  contentHash: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Every query filters by the account first. */
export const accountApplicationCollection = defineCollection<AccountApplicationDocument>({
  name: 'account_applications',
  indexes: [{ key: { accountId: 1, slug: 1 }, unique: true }],
});
