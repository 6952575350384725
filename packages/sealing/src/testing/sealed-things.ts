import type { Document } from 'mongodb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedCollection } from '../sealed-fields.ts';
import type { SealedValue } from '../sealed-value.ts';
import type { Sealer } from '../sealing.ts';

/** A document with sealed values, for tests of sealing anew. */
export interface ThingDocument {
  readonly _id: string;
  readonly scope: string;
  readonly first: SealedValue;
  readonly inner: { readonly second: SealedValue | null };
}

export const thingCollection = defineCollection<ThingDocument>({ name: 'things', indexes: [] });

const bindingOf = (id: string, slot: string) => [thingCollection.name, id, slot];

const things: SealedCollection<ThingDocument> = {
  definition: thingCollection,
  members: ['scope'],
  fields: [
    { path: 'first', scopesOf: (it) => [it.scope], bindingOf: (it) => bindingOf(it._id, 'first') },
    { path: 'inner.second', scopesOf: (it) => [it.scope], bindingOf: (it) => bindingOf(it._id, 'second') },
  ],
};

/** Every sealed value of the collection. */
export const sealedThings: readonly SealedCollection<Document>[] = [things];

/** A thing whose values are `first of <id>` and, if its number is even, `second of <id>`. */
export async function sealThing(sealer: Sealer, scope: string, number: number): Promise<ThingDocument> {
  const _id = `thing-${String(number).padStart(6, '0')}`;
  const second =
    number % 2 === 0 ? await sealer.seal(scope, bindingOf(_id, 'second'), `second of ${_id}`) : null;
  const first = await sealer.seal(scope, bindingOf(_id, 'first'), `first of ${_id}`);
  return { _id, scope, first, inner: { second } };
}

/** Opens the values of a thing. */
export async function openThing(
  sealer: Sealer,
  { _id, scope, first, inner }: ThingDocument,
): Promise<readonly (string | null)[]> {
  const { second } = inner;
  return [
    (await sealer.open(scope, bindingOf(_id, 'first'), first)).reveal(),
    second && (await sealer.open(scope, bindingOf(_id, 'second'), second)).reveal(),
  ];
}
