import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** Position in the change log of a service. */
export interface ChangeCursorDocument {
  /** The service. */
  readonly _id: string;
  readonly cursor: string;
}

/** One document per service, read by id. Without it, all kept changes are read again. */
export const changeCursorCollection = defineCollection<ChangeCursorDocument>({
  name: 'change_cursors',
  indexes: [],
});
