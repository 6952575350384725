import { defineCollection } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import type { KeyEncryption, WrappedKey } from './key-encryption.ts';
import type { Secret } from '../secret.ts';

/** A data key as it is stored. */
export interface DataKeyRecord extends WrappedKey {
  /** The account whose values it seals. */
  readonly scope: string;
  readonly id: string;
}

/** Wraps a data key with the current key-encryption key, bound to its scope and id. */
export async function wrapDataKey(
  encryption: KeyEncryption,
  scope: string,
  { id, key }: { readonly id: string; readonly key: Secret<Uint8Array> },
): Promise<DataKeyRecord> {
  return { scope, id, ...(await encryption.wrap(bindingOf(scope, id), key)) };
}

/** Unwraps a data key. Throws an Error if its key-encryption key is missing, or it was changed or moved to another scope. */
export function unwrapDataKey(encryption: KeyEncryption, record: DataKeyRecord): Promise<Secret<Uint8Array>> {
  return encryption.unwrap(bindingOf(record.scope, record.id), record);
}

function bindingOf(scope: string, id: string): readonly string[] {
  return ['data-key', scope, id];
}

/** Storage of wrapped data keys, one per scope. */
export interface DataKeyStore {
  find(scope: string): Promise<DataKeyRecord | undefined>;
  /** Stores `record` unless the scope already has one, and returns the stored one. */
  insertIfAbsent(record: DataKeyRecord): Promise<DataKeyRecord>;
  /** Stores another wrapping of keys; leaves out those of which `old` is no longer stored. Returns how many it stored. */
  rewrap(keys: readonly { readonly old: DataKeyRecord; readonly wrapped: WrappedKey }[]): Promise<number>;
  /** Names of the key-encryption keys that wrap anything. */
  wrappingKeys(): Promise<readonly string[]>;
  countWrappedWith(name: string): Promise<number>;
  /** At most `limit` data keys that `name` wraps, by scope, those after `after`. */
  listWrappedWith(name: string, after: string, limit: number): Promise<readonly DataKeyRecord[]>;
  /** Removes the scope's key, if it has one; values that it sealed can never be opened again. */
  remove(scope: string): Promise<void>;
}

interface DataKeyDocument {
  /** The scope. */
  readonly _id: string;
  readonly keyId: string;
  readonly wrappedWith: string;
  readonly wrapped: string;
}

/** Wrapped data keys; a service that seals lists it among its collections. */
export const dataKeyCollection = defineCollection<DataKeyDocument>({
  name: 'dataKeys',
  indexes: [{ key: { wrappedWith: 1, _id: 1 } }],
});

/** Data keys in the service's own database. */
export function mongoDataKeyStore(store: MongoStore): DataKeyStore {
  const collection = store.collection(dataKeyCollection);
  return {
    async find(scope) {
      const document = await collection.findOne({ _id: scope });
      return document === null ? undefined : toRecord(document);
    },
    async insertIfAbsent(record) {
      const stored = await collection.findOneAndUpdate(
        { _id: record.scope },
        { $setOnInsert: { keyId: record.id, wrappedWith: record.wrappedWith, wrapped: record.wrapped } },
        { upsert: true, returnDocument: 'after' },
      );
      if (stored === null) throw new Error('The data key was not stored.');
      return toRecord(stored);
    },
    async rewrap(keys) {
      if (keys.length === 0) return 0;
      const { modifiedCount } = await collection.bulkWrite(
        keys.map(({ old, wrapped: { wrappedWith, wrapped } }) => ({
          updateOne: {
            filter: { _id: old.scope, keyId: old.id, wrapped: old.wrapped },
            update: { $set: { wrappedWith, wrapped } },
          },
        })),
        { ordered: false },
      );
      return modifiedCount;
    },
    wrappingKeys: () => collection.distinct('wrappedWith'),
    countWrappedWith: (name) => collection.countDocuments({ wrappedWith: name }),
    async listWrappedWith(name, after, limit) {
      const documents = await collection
        .find({ wrappedWith: name, _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return documents.map(toRecord);
    },
    async remove(scope) {
      await collection.deleteOne({ _id: scope });
    },
  };
}

function toRecord({ _id, keyId, wrappedWith, wrapped }: DataKeyDocument): DataKeyRecord {
  return { scope: _id, id: keyId, wrappedWith, wrapped };
}
