import type { SealedCollection } from '@fairlead/service-kit/sealing/sealed-fields';
import type { Document } from 'mongodb';

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [];
