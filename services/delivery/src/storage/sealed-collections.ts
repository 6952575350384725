import type { SealedCollection } from '@fairlead/service-kit/sealing/sealed-fields';
import type { Document } from 'mongodb';
import { destinationCollection } from './destination.collection.ts';
import type { DestinationDocument } from './destination.collection.ts';

/** The place of a sealed value of a destination: one that is copied elsewhere does not open there. */
export function sealedPlace(destinationId: string, member: 'secret' | 'headers'): readonly string[] {
  return ['destinations', destinationId, member];
}

const destinations: SealedCollection<DestinationDocument> = {
  definition: destinationCollection,
  members: ['accountId'],
  fields: (['secret', 'headers'] as const).map((path) => ({
    path,
    scopesOf: ({ accountId }) => [accountId],
    bindingOf: ({ _id }) => sealedPlace(_id, path),
  })),
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [destinations];
