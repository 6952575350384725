import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A toolset that is being deleted, and whose keys have ended. */
export interface EndedToolsetDocument {
  readonly accountId: string;
  readonly toolsetId: string;
  readonly endedAt: Date;
}

/** Far longer than any request between finding the toolset and inserting a key for it. */
const KEPT_SECONDS = 60 * 60;

/** The toolsets for which no key can be created any more. */
export const endedToolsetCollection = defineCollection<EndedToolsetDocument>({
  name: 'ended_toolsets',
  indexes: [
    { key: { accountId: 1, toolsetId: 1 }, unique: true },
    { key: { endedAt: 1 }, name: 'retention', expireAfterSeconds: KEPT_SECONDS },
  ],
});
