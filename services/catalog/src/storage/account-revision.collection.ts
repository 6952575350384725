import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** Counts the changes of an account's own applications, so that a replica knows when its cache is stale. */
export interface AccountRevisionDocument {
  /** The account id. */
  _id: string;
  revision: number;
}

/** Changed in the same transaction as the applications; read by id only. */
export const accountRevisionCollection = defineCollection<AccountRevisionDocument>({
  name: 'account_revisions',
  indexes: [],
});
