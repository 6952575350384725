import { defineCollection } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';

/** A data key as it is stored. */
export interface DataKeyRecord {
  /** The account whose values it seals. */
  readonly scope: string;
  readonly id: string;
  /** Version of the key-encryption key. */
  readonly wrappedWith: string;
  /** base64url of iv, wrapped key and tag. */
  readonly wrapped: string;
}

/** Storage of wrapped data keys, one per scope. */
export interface DataKeyStore {
  find(scope: string): Promise<DataKeyRecord | undefined>;
  /** Stores `record` unless the scope already has one, and returns the stored one. */
  insertIfAbsent(record: DataKeyRecord): Promise<DataKeyRecord>;
  /** Replaces `old` with `next`; does nothing if `old` is no longer stored. */
  replace(old: DataKeyRecord, next: DataKeyRecord): Promise<void>;
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
export const dataKeyCollection = defineCollection<DataKeyDocument>({ name: 'dataKeys', indexes: [] });

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
    async replace(old, next) {
      await collection.updateOne(
        { _id: old.scope, keyId: old.id, wrapped: old.wrapped },
        { $set: { wrappedWith: next.wrappedWith, wrapped: next.wrapped } },
      );
    },
    async remove(scope) {
      await collection.deleteOne({ _id: scope });
    },
  };
}

function toRecord({ _id, keyId, wrappedWith, wrapped }: DataKeyDocument): DataKeyRecord {
  return { scope: _id, id: keyId, wrappedWith, wrapped };
}
