import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** How far the changes of a service were followed. */
export interface ChangeCursorDocument {
  /** The service. */
  readonly _id: string;
  readonly cursor: string;
}

/** One document per service; read only by id. Without it, everything that the service keeps is read again. */
export const changeCursorCollection = defineCollection<ChangeCursorDocument>({
  name: 'change_cursors',
  indexes: [],
});
