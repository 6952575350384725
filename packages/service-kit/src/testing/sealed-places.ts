import type { Document } from 'mongodb';
import type { MongoStore } from '../mongo/mongo.ts';
import { sealedTextAt } from '../sealing/sealed-fields.ts';
import type { SealedCollection } from '../sealing/sealed-fields.ts';
import type { Sealed } from '../sealing/sealed-value.ts';
import type { Sealer } from '../sealing/sealing.ts';

interface Value {
  /** `<collection>.<path>` */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly binding: readonly string[];
  readonly sealed: Sealed;
}

/**
 * Tries each stored value of the declared places at its own place and at that of each other value: which places have a
 * value, which of them does not open where it belongs, and which opens elsewhere.
 */
export async function tryEveryPlace(
  store: MongoStore,
  sealer: Sealer,
  collections: readonly SealedCollection<Document>[],
): Promise<{ readonly places: string[]; readonly closed: string[]; readonly movable: string[] }> {
  const values = (await Promise.all(collections.map((one) => valuesOf(store, one)))).flat();
  const [closed, movable]: [string[], string[]] = [[], []];
  for (const value of values)
    for (const place of values) {
      const opens = await opensAt(sealer, place, value.sealed);
      if (value === place && !opens) closed.push(value.name);
      if (value !== place && opens) movable.push(`${value.name} at ${place.name}`);
    }
  return { places: [...new Set(values.map(({ name }) => name))].toSorted(), closed, movable };
}

async function valuesOf(
  store: MongoStore,
  { definition, fields }: SealedCollection<Document>,
): Promise<readonly Value[]> {
  const documents = await store.collection(definition).find().toArray();
  return documents.flatMap((document) =>
    fields.flatMap((field) => {
      const text = sealedTextAt(document, field.path);
      const binding = field.bindingOf(document);
      if (text === undefined || binding === undefined) return [];
      // Only sealed values are stored there.
      const sealed = text as Sealed;
      return [
        { name: `${definition.name}.${field.path}`, scopes: field.scopesOf(document), binding, sealed },
      ];
    }),
  );
}

async function opensAt(sealer: Sealer, { scopes, binding }: Value, sealed: Sealed): Promise<boolean> {
  const attempts = await Promise.allSettled(scopes.map((scope) => sealer.open(scope, binding, sealed)));
  return attempts.some(({ status }) => status === 'fulfilled');
}
