import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** The position up to which the events of a service were fetched. */
export interface AuditCursorDocument {
  /** The service. */
  readonly _id: string;
  readonly cursor: string;
  readonly completeAt?: Date;
}

/** One document per service; read only by id. Without it, everything that the service keeps is fetched again. */
export const auditCursorCollection = defineCollection<AuditCursorDocument>({
  name: 'audit_cursors',
  indexes: [],
});
