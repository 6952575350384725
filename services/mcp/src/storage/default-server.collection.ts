import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** An account that has, or had, its default server. */
export interface DefaultServerDocument {
  /** The account's id. */
  readonly _id: string;
  readonly createdAt: Date;
}

/** Read by `_id` only. */
export const defaultServerCollection = defineCollection<DefaultServerDocument>({
  name: 'default_servers',
  indexes: [],
});
