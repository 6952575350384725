import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { DataKeyRecord, DataKeyStore } from './data-keys.ts';
import { throwIfUnavailable } from './key-encryption.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { unwrapScopeKeys } from './scope-keys.ts';
import type { ScopeKeys } from './scope-keys.ts';
import { keyIdOf, openWith, sealWith } from './sealed-value.ts';
import type { DataKey, AssociatedData } from './sealed-value.ts';
import { sealedTextAt } from './sealed-fields.ts';
import type { SealedCollection, SealedField } from './sealed-fields.ts';

/** The result of sealing a batch of documents anew. */
export interface BatchResult {
  /** `_id` of its last document. */
  readonly position: DocumentId;
  readonly examined: number;
  /** Values that were sealed by a data key other than the current one, and that can be opened or will expire. */
  readonly found: number;
  /** Documents that were written, with their values under the current data key. */
  readonly resealed: number;
  /** Values that no key of their scope has sealed: they can never be opened. */
  readonly unreadable: number;
  /** Values that cannot be opened with their key. */
  readonly failed: number;
  /** Owners of `failed`, whose former data keys must be kept. */
  readonly failedScopes: readonly string[];
}

export interface ResealingDeps {
  readonly mongo: MongoStore;
  readonly store: DataKeyStore;
  readonly encryption: KeyEncryption;
  readonly log: Logger;
}

/** `_id` of a document with sealed values. */
export type DocumentId = string | number;

interface StoredDocument extends Document {
  readonly _id: DocumentId;
}

const BATCH = 50;
/** The maximum size of sealed text that is read in one batch; one value alone may be longer. */
const BATCH_LENGTH = 4 * 1024 * 1024;

/**
 * Seals anew the values of a collection that the current data key of their scope has not sealed, in the order of `_id` from `after` on, and
 * yields after each batch. A value that was written meanwhile is left unchanged.
 */
export async function* resealCollection(
  deps: ResealingDeps,
  sealed: SealedCollection<Document>,
  after: DocumentId | undefined,
): AsyncGenerator<BatchResult> {
  const collection = deps.mongo.db.collection<StoredDocument>(sealed.definition.name);
  const members = [...sealed.members, ...sealed.fields.map(({ path }) => path)];
  const cursor = collection
    .find(after === undefined ? {} : { _id: { $gt: after } }, {
      projection: Object.fromEntries(members.map((name) => [name, 1])),
      batchSize: BATCH,
    })
    .sort({ _id: 1 })
    .hint({ _id: 1 });
  try {
    let batch: StoredDocument[] = [];
    let length = 0;
    for await (const document of cursor) {
      batch.push(document);
      length += sealed.fields.reduce((sum, { path }) => sum + (sealedTextAt(document, path)?.length ?? 0), 0);
      if (batch.length < BATCH && length < BATCH_LENGTH) continue;
      yield await resealBatch(deps, sealed, collection, { documents: batch, position: document._id });
      batch = [];
      length = 0;
    }
    const last = batch.at(-1);
    if (last !== undefined)
      yield await resealBatch(deps, sealed, collection, { documents: batch, position: last._id });
  } finally {
    await cursor.close();
  }
}

async function resealBatch(
  deps: ResealingDeps,
  sealed: SealedCollection<Document>,
  collection: Collection<StoredDocument>,
  { documents, position }: { readonly documents: readonly StoredDocument[]; readonly position: DocumentId },
): Promise<BatchResult> {
  const keys = await keysOf(deps, sealed, documents);
  const result = { found: 0, unreadable: 0, failed: 0 };
  const failedScopes = new Set<string>();
  const updates: AnyBulkWriteOperation<StoredDocument>[] = [];
  for (const document of documents) {
    const former: Record<string, string> = {};
    const next: Record<string, string> = {};
    for (const field of sealed.fields) {
      const text = sealedTextAt(document, field.path);
      if (text === undefined) continue;
      const outcome = await resealField(keys, field, document, text);
      if (outcome.kind === 'current') continue;
      if (outcome.kind === 'unreadable') result.unreadable += 1;
      else if (outcome.kind === 'failed') {
        result.failed += 1;
        failedScopes.add(outcome.scope);
        const place = { collection: sealed.definition.name, id: String(document._id), path: field.path };
        deps.log.warn({ err: outcome.error, ...place }, 'a sealed value does not open');
      } else {
        result.found += 1;
        if (outcome.kind !== 'resealed') continue;
        former[field.path] = text;
        next[field.path] = outcome.text;
      }
    }
    if (Object.keys(next).length > 0)
      updates.push({ updateOne: { filter: { _id: document._id, ...former }, update: { $set: next } } });
  }
  // The update is conditional on the values that were read: a value that was written meanwhile is newer.
  const written = updates.length === 0 ? undefined : await collection.bulkWrite(updates, { ordered: false });
  return {
    ...result,
    position,
    examined: documents.length,
    resealed: written?.modifiedCount ?? 0,
    failedScopes: [...failedScopes],
  };
}

type FieldOutcome =
  | { readonly kind: 'current' | 'unreadable' | 'expires' }
  | { readonly kind: 'resealed'; readonly text: string }
  | { readonly kind: 'failed'; readonly scope: string; readonly error: unknown };

async function resealField(
  keys: BatchKeys,
  field: SealedField<Document>,
  document: Document,
  text: string,
): Promise<FieldOutcome> {
  const scopes = field.scopesOf(document);
  let scope = '';
  try {
    const record = keys.find(scopes, keyIdOf(text));
    if (record === undefined) return { kind: 'unreadable' };
    ({ scope } = record);
    if (record.id === keyIdOf(text)) return { kind: 'current' };
    const binding = field.bindingOf(document);
    if (binding === undefined) return { kind: 'expires' };
    const associated: AssociatedData = { scope, binding };
    const { current, former } = await keys.unwrap(record);
    return {
      kind: 'resealed',
      text: sealWith(current, associated, openWith(keyIn(former, text), associated, text).reveal()),
    };
  } catch (error) {
    throwIfUnavailable([error]);
    return { kind: 'failed', scope, error };
  }
}

function keyIn(keys: readonly DataKey[], text: string): DataKey {
  const key = keys.find(({ id }) => id === keyIdOf(text));
  if (key === undefined) throw new Error('The key of this value does not exist.');
  return key;
}

/** The data keys of the scopes of a batch; only those that are needed are unwrapped, once. */
interface BatchKeys {
  /** The record, among those of the given scopes, that has the key of this id, as its current key or a former one. */
  find(scopes: readonly string[], id: string): DataKeyRecord | undefined;
  unwrap(record: DataKeyRecord): Promise<ScopeKeys>;
}

async function keysOf(
  { store, encryption }: ResealingDeps,
  { fields }: SealedCollection<Document>,
  documents: readonly Document[],
): Promise<BatchKeys> {
  const scopes = new Set(
    documents.flatMap((document) => fields.flatMap((field) => field.scopesOf(document))),
  );
  const records = new Map((await store.findMany([...scopes])).map((record) => [record.scope, record]));
  const unwrapped = new Map<string, Promise<ScopeKeys>>();
  return {
    find(candidates, id) {
      const found = candidates.flatMap((scope) => records.get(scope) ?? []);
      return found.find((record) => record.id === id || record.former?.some((key) => key.id === id));
    },
    unwrap(record) {
      const known = unwrapped.get(record.scope) ?? unwrapScopeKeys(encryption, record);
      unwrapped.set(record.scope, known);
      return known;
    },
  };
}
