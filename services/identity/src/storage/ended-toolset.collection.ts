import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A toolset whose keys have ended, because it is being deleted. */
export interface EndedToolsetDocument {
  readonly accountId: string;
  readonly toolsetId: string;
  readonly endedAt: Date;
}

/** Far longer than a request that has found the toolset takes to insert a key for it. */
const KEPT_SECONDS = 60 * 60;

/** The toolsets that no key can be created for any more. */
export const endedToolsetCollection = defineCollection<EndedToolsetDocument>({
  name: 'ended_toolsets',
  indexes: [
    { key: { accountId: 1, toolsetId: 1 }, unique: true },
    { key: { endedAt: 1 }, name: 'retention', expireAfterSeconds: KEPT_SECONDS },
  ],
});
