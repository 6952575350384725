import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** When an application of the platform was first seen and last changed; the application is in the catalogue file. */
export interface PlatformApplicationDocument {
  /** The slug. */
  _id: string;
  contentHash: string;
  firstSeenAt: Date;
  changedAt: Date;
}

/** One document for every application that the platform ever had; read by id only. */
export const platformApplicationCollection = defineCollection<PlatformApplicationDocument>({
  name: 'platform_applications',
  indexes: [],
});
