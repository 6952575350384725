import type { Document, IndexDescription } from 'mongodb';

/** A collection, its document type and all its indexes. */
export interface CollectionDefinition<T extends Document> {
  readonly name: string;
  /** All indexes except that of `_id`, by name. A changed index gets a new name (docs/operations.md). */
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
  /** Names of indexes that earlier releases declared, which the command `migrate contract` drops. Never reused. */
  readonly removedIndexes: readonly string[];
  /** Carries the document type; never set. */
  readonly document?: T;
}

/**
 * Declares a collection. Indexes without a name get `<field>_<direction>` joined with `_`. Throws if a removed index
 * is declared.
 */
export function defineCollection<T extends Document>(d: {
  readonly name: string;
  readonly indexes: readonly IndexDescription[];
  readonly removedIndexes?: readonly string[];
}): CollectionDefinition<T> {
  const indexes = d.indexes.map((index) => ({ ...index, name: index.name ?? indexName(index.key) }));
  const removedIndexes = d.removedIndexes ?? [];
  const reused = indexes.find(({ name }) => removedIndexes.includes(name));
  if (reused !== undefined)
    throw new Error(
      `Collection ${d.name} declares the index ${reused.name}, which it also names as removed.`,
    );
  return { name: d.name, indexes, removedIndexes };
}

function indexName(key: IndexDescription['key']): string {
  const fields = key instanceof Map ? [...key] : Object.entries(key);
  return fields.flat().join('_');
}
