import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import type { Document } from 'mongodb';
import { destinationCollection } from './destination.collection.ts';
import type { DestinationDocument } from './destination.collection.ts';

/** Associated data of a destination's sealed value, so that a copy elsewhere cannot be opened. */
export function destinationBinding(destinationId: string, member: 'secret' | 'headers'): readonly string[] {
  return ['destinations', destinationId, member];
}

const destinations: SealedCollection<DestinationDocument> = {
  definition: destinationCollection,
  members: ['accountId'],
  fields: (['secret', 'headers'] as const).map((path) => ({
    path,
    scopesOf: ({ accountId }) => [accountId],
    bindingOf: ({ _id }) => destinationBinding(_id, path),
  })),
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [destinations];
