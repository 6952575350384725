import { defineCollection } from '@fairlead/service-kit/mongo/mongo';

/** When an application of the platform came and when it last changed; the application itself is in the catalogue file. */
export interface PlatformApplicationDocument {
  /** The slug. */
  _id: string;
  contentHash: string;
  firstSeenAt: Date;
  changedAt: Date;
}

/** As many documents as the platform has ever had applications; read by id only. */
export const platformApplicationCollection = defineCollection<PlatformApplicationDocument>({
  name: 'platform_applications',
  indexes: [],
});
