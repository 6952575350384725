import type { Filter } from 'mongodb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { WrappedKey } from './key-encryption.ts';

/** The data key of a scope as it is stored, with the keys that it wraps itself. */
export interface DataKeyRecord extends WrappedKey {
  /** The account whose values the data key seals. */
  readonly scope: string;
  readonly id: string;
  /** Number of the replacement that created this data key. Absent: it was created with the scope. */
  readonly replacement?: number | undefined;
  /** Data keys that it replaced and that may still be needed, wrapped with this one. */
  readonly former?: readonly FormerDataKey[] | undefined;
  /** The key of fingerprints, wrapped with this data key. Absent: it is derived from the data key, which was never replaced. */
  readonly fingerprintKey?: string | undefined;
}

/** A data key that was replaced. */
interface FormerDataKey {
  readonly id: string;
  readonly wrapped: string;
}

/** Storage of wrapped data keys, one per scope. */
export interface DataKeyStore {
  find(scope: string): Promise<DataKeyRecord | undefined>;
  /** The data keys of those scopes that have one, in any order. */
  findMany(scopes: readonly string[]): Promise<readonly DataKeyRecord[]>;
  /** Stores `record` unless the scope already has one, and returns the stored one. */
  insertIfAbsent(record: DataKeyRecord): Promise<DataKeyRecord>;
  /** Stores other wrappings of keys; skips each whose `old` is no longer stored. Returns how many it stored. */
  rewrap(keys: readonly { readonly old: DataKeyRecord; readonly wrapped: WrappedKey }[]): Promise<number>;
  /** Stores `next` instead of `old`. False: `old` is no longer stored, and nothing changes. */
  replace(old: DataKeyRecord, next: DataKeyRecord): Promise<boolean>;
  /** At most `limit` data keys, ordered by scope, after the scope `after`. */
  list(after: string, limit: number): Promise<readonly DataKeyRecord[]>;
  /** Removes the former data keys of each scope whose data key this replacement created, except the scopes in `kept`. */
  removeFormer(replacement: number, kept: readonly string[]): Promise<void>;
  /** How many scopes have former data keys. */
  countFormer(): Promise<number>;
  /** Names of the key-encryption keys that wrap at least one data key. */
  wrappingKeys(): Promise<readonly string[]>;
  countWrappedWith(name: string): Promise<number>;
  /** At most `limit` data keys that `name` wraps, ordered by scope, after the scope `after`. */
  listWrappedWith(name: string, after: string, limit: number): Promise<readonly DataKeyRecord[]>;
  /** Removes the scope's keys, if it has any; values that they sealed can never be opened again. */
  remove(scope: string): Promise<void>;
}

interface DataKeyDocument extends Omit<DataKeyRecord, 'scope' | 'id'> {
  /** The scope. */
  readonly _id: string;
  readonly keyId: string;
}

const HAS_FORMER = { 'former.id': { $exists: true } };

/** Wrapped data keys; a service that seals lists it among its collections. */
export const dataKeyCollection = defineCollection<DataKeyDocument>({
  name: 'dataKeys',
  indexes: [
    { key: { wrappedWith: 1, _id: 1 } },
    { key: { 'former.id': 1 }, name: 'former', partialFilterExpression: HAS_FORMER },
  ],
});

/** Data keys in the service's own database. */
export function mongoDataKeyStore(store: MongoStore): DataKeyStore {
  const collection = store.collection(dataKeyCollection);

  async function page(filter: Filter<DataKeyDocument>, limit: number): Promise<readonly DataKeyRecord[]> {
    return (await collection.find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toRecord);
  }

  return {
    async find(scope) {
      const document = await collection.findOne({ _id: scope });
      return document === null ? undefined : toRecord(document);
    },
    findMany: (scopes) => page({ _id: { $in: [...scopes] } }, scopes.length),
    async insertIfAbsent(record) {
      const { _id, ...members } = toDocument(record);
      const stored = await collection.findOneAndUpdate(
        { _id },
        { $setOnInsert: members },
        { upsert: true, returnDocument: 'after' },
      );
      if (stored === null) throw new Error('The data key was not stored.');
      return toRecord(stored);
    },
    async rewrap(keys) {
      if (keys.length === 0) return 0;
      const updates = keys.map(({ old, wrapped: { wrappedWith, wrapped } }) => ({
        updateOne: { filter: ofSameWrapping(old), update: { $set: { wrappedWith, wrapped } } },
      }));
      return (await collection.bulkWrite(updates, { ordered: false })).modifiedCount;
    },
    async replace(old, next) {
      const { _id, ...members } = toDocument(next);
      return (await collection.updateOne(ofSameWrapping(old), { $set: members })).modifiedCount === 1;
    },
    list: (after, limit) => page({ _id: { $gt: after } }, limit),
    async removeFormer(replacement, kept) {
      await collection.updateMany(
        { ...HAS_FORMER, replacement, _id: { $nin: [...kept] } },
        { $unset: { former: '' } },
      );
    },
    countFormer: () => collection.countDocuments(HAS_FORMER, { hint: 'former' }),
    wrappingKeys: () => collection.distinct('wrappedWith'),
    countWrappedWith: (name) => collection.countDocuments({ wrappedWith: name }),
    listWrappedWith: (name, after, limit) => page({ wrappedWith: name, _id: { $gt: after } }, limit),
    async remove(scope) {
      await collection.deleteOne({ _id: scope });
    },
  };
}

/** Every wrapping differs, so an equal one means that nothing has changed. */
function ofSameWrapping({ scope, id, wrapped }: DataKeyRecord): Filter<DataKeyDocument> {
  return { _id: scope, keyId: id, wrapped };
}

function toRecord({ _id, keyId, ...same }: DataKeyDocument): DataKeyRecord {
  return { scope: _id, id: keyId, ...same };
}

function toDocument({ scope, id, ...same }: DataKeyRecord): DataKeyDocument {
  return { _id: scope, keyId: id, ...same };
}
