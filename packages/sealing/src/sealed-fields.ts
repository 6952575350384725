import type { Document } from 'mongodb';
import type { CollectionDefinition } from '@fairlead/service-kit/mongo/collection';

/** A member of a document that holds a sealed value, or null, or is absent. */
export interface SealedField<T extends Document> {
  /** The names of the path from the document to the member, joined by dots. */
  readonly path: string;
  /** The scopes whose data key may have sealed it. */
  scopesOf(document: T): readonly string[];
  /** The binding that it was sealed with; undefined if it cannot be told from the document, so that its value has to expire. */
  bindingOf(document: T): readonly string[] | undefined;
}

/** A collection with its sealed fields: all of them, because the values of an undeclared field are lost when their key is replaced. */
export interface SealedCollection<T extends Document> {
  readonly definition: CollectionDefinition<T>;
  /** Members that `scopesOf` and `bindingOf` read, beside `_id`. */
  readonly members: readonly string[];
  readonly fields: readonly SealedField<T>[];
}

/** The value at a path of a document, if it is sealed text. */
export function sealedTextAt(document: Document, path: string): string | undefined {
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' ? value : undefined;
}
