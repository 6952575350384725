import type { Document } from 'mongodb';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { sealedTextAt } from '../sealed-fields.ts';
import type { SealedCollection } from '../sealed-fields.ts';
import type { SealedValue } from '../sealed-value.ts';
import type { Sealer } from '../sealing.ts';

interface Value {
  /** `<collection>.<path>` */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly binding: readonly string[];
  readonly sealed: SealedValue;
}

/**
 * Tries to open each stored value of the declared fields with its own binding and with the binding of each other value. Returns the fields
 * that have a value, those with a value that its own binding does not open, and the pairs in which the binding of another value opens it.
 */
export async function tryEveryBinding(
  store: MongoStore,
  sealer: Sealer,
  collections: readonly SealedCollection<Document>[],
): Promise<{ readonly fields: string[]; readonly closed: string[]; readonly movable: string[] }> {
  const values = (await Promise.all(collections.map((one) => valuesOf(store, one)))).flat();
  const [closed, movable]: [string[], string[]] = [[], []];
  for (const value of values)
    for (const other of values) {
      const opens = await opensWith(sealer, other, value.sealed);
      if (value === other && !opens) closed.push(value.name);
      if (value !== other && opens) movable.push(`${value.name} at ${other.name}`);
    }
  return { fields: [...new Set(values.map(({ name }) => name))].toSorted(), closed, movable };
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
      const sealed = text as SealedValue;
      return [
        { name: `${definition.name}.${field.path}`, scopes: field.scopesOf(document), binding, sealed },
      ];
    }),
  );
}

async function opensWith(sealer: Sealer, { scopes, binding }: Value, sealed: SealedValue): Promise<boolean> {
  const attempts = await Promise.allSettled(scopes.map((scope) => sealer.open(scope, binding, sealed)));
  return attempts.some(({ status }) => status === 'fulfilled');
}
