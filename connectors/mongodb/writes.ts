import { ObjectId } from 'bson';
import type { JsonObject } from '@fairlead/connector-model/json';
import { InputError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { textInput } from '../postgresql/call-inputs.ts';
import {
  conditionInput,
  documentInput,
  documentOutput,
  documentsInput,
  pipelineInput,
  requiredCondition,
  valueOutput,
} from './documents.ts';
import { asDocument, collectionOf, databaseOf, documentsOf, wholeBatch } from './reads.ts';
import { withMongoSession } from './session.ts';
import type { MongoSession } from './session.ts';
import type { BsonDocument } from './wire.ts';

/** Inserts documents in order. At the first one that the server refuses it stops; the documents before it stay. */
export function insertDocuments(call: HandlerCall): Promise<JsonObject> {
  const documents = documentsInput(call.fields, 'documents').map((document) => ({
    _id: new ObjectId(),
    ...document,
  }));
  return write(call, async (session, timed) => {
    const command = { insert: collectionOf(call), documents, ordered: true };
    await session.run(databaseOf(call, session), { ...command, ...timed });
    return { insertedIds: documents.map(({ _id }) => valueOutput(_id)) };
  });
}

/** Changes members of the matching documents. */
export function updateDocuments(call: HandlerCall): Promise<JsonObject> {
  const u = documentInput(call.fields, 'update') ?? {};
  const names = Object.keys(u);
  if (names.length === 0 || !names.every((name) => name.startsWith('$')))
    throw new InputError([
      { field: 'fields.update', issue: 'must hold update operators, such as {"$set": {"status": "done"}}' },
    ]);
  return change(call, { u, multi: call.fields['isFirstOnly'] !== true });
}

/** Replaces the first matching document, which keeps its `_id`. */
export function replaceDocument(call: HandlerCall): Promise<JsonObject> {
  const u = documentInput(call.fields, 'document') ?? {};
  if (Object.keys(u).some((name) => name.startsWith('$')))
    throw new InputError([{ field: 'fields.document', issue: 'must be a document without operators' }]);
  return change(call, { u, multi: false });
}

/** Changes the first matching document and returns it. */
export function findAndUpdateDocument(call: HandlerCall): Promise<JsonObject> {
  const query = requiredCondition(call.fields, 'filter');
  const update = documentInput(call.fields, 'update') ?? {};
  return write(call, async (session, timed) => {
    const reply = await session.run(databaseOf(call, session), {
      findAndModify: collectionOf(call),
      query,
      update,
      sort: documentInput(call.fields, 'sort'),
      fields: conditionInput(call.fields, 'projection'),
      new: call.fields['isBefore'] !== true,
      upsert: call.fields['isUpsert'] === true,
      ...timed,
    });
    const { value } = reply;
    return { document: value === null || value === undefined ? null : documentOutput(asDocument(value)) };
  });
}

/** Deletes the matching documents. */
export function deleteDocuments(call: HandlerCall): Promise<JsonObject> {
  const q = requiredCondition(call.fields, 'filter');
  const limit = call.fields['isFirstOnly'] === true ? 1 : 0;
  return write(call, async (session, timed) => {
    const command = { delete: collectionOf(call), deletes: [{ q, limit }] };
    const { n } = await session.run(databaseOf(call, session), { ...command, ...timed });
    return { deletedCount: Number(n) || 0 };
  });
}

/** Runs a pipeline that writes its result to a collection. */
export function writeAggregation(call: HandlerCall): Promise<JsonObject> {
  const pipeline = pipelineInput(call.fields, 'pipeline', 'write');
  const last = Object.keys(pipeline.at(-1) ?? {});
  if (!last.some((name) => name === '$out' || name === '$merge'))
    throw new InputError([{ field: 'fields.pipeline', issue: 'must end with $out or $merge' }]);
  return write(call, async (session, timed) => {
    const database = databaseOf(call, session);
    const command = { aggregate: collectionOf(call), pipeline, cursor: {} };
    await wholeBatch(session, database, await session.run(database, { ...command, ...timed }));
    return { isWritten: true };
  });
}

/** Creates an index; an existing one with the same keys stays unchanged. */
export function createIndex(call: HandlerCall): Promise<JsonObject> {
  const key = documentInput(call.fields, 'keys') ?? {};
  const name =
    textInput(call.fields, 'name') ??
    Object.entries(key)
      .map(([field, kind]) => `${field}_${String(kind)}`)
      .join('_');
  const seconds = call.fields['expireAfterSeconds'];
  const index = {
    key,
    name,
    ...(call.fields['isUnique'] === true && { unique: true }),
    ...(typeof seconds === 'number' && { expireAfterSeconds: seconds }),
    partialFilterExpression: conditionInput(call.fields, 'partialFilter'),
  };
  return write(call, async (session, timed) => {
    const command = { createIndexes: collectionOf(call), indexes: [index] };
    await session.run(databaseOf(call, session), { ...command, ...timed });
    return { name };
  });
}

/** Drops one index by its name. */
export function dropIndex(call: HandlerCall): Promise<JsonObject> {
  const index = textInput(call.fields, 'name') ?? '';
  if (index === '*') throw new InputError([{ field: 'fields.name', issue: 'must be the name of one index' }]);
  return write(call, async (session, timed) => {
    await session.run(databaseOf(call, session), { dropIndexes: collectionOf(call), index, ...timed });
    return { name: index };
  });
}

/** Creates an empty collection. */
export function createCollection(call: HandlerCall): Promise<JsonObject> {
  return write(call, async (session, timed) => {
    const name = collectionOf(call);
    const validator = conditionInput(call.fields, 'validator');
    await session.run(databaseOf(call, session), { create: name, validator, ...timed });
    return { name };
  });
}

/** Drops a collection with all documents and indexes. */
export function dropCollection(call: HandlerCall): Promise<JsonObject> {
  return write(call, async (session, timed) => {
    const name = collectionOf(call);
    await session.run(databaseOf(call, session), { drop: name, ...timed });
    return { name };
  });
}

/** `timed` are the members with which the server itself ends a writing command before the call ends. */
function write(
  call: HandlerCall,
  use: (session: MongoSession, timed: BsonDocument) => Promise<JsonObject>,
): Promise<JsonObject> {
  return withMongoSession(call, 'write', (session) => {
    const remainingMs = session.remainingMs();
    const writeConcern = { w: 'majority', wtimeout: remainingMs };
    return use(session, { maxTimeMS: remainingMs, writeConcern });
  });
}

function change(
  call: HandlerCall,
  members: { readonly u: BsonDocument; readonly multi: boolean },
): Promise<JsonObject> {
  const q = requiredCondition(call.fields, 'filter');
  const upsert = call.fields['isUpsert'] === true;
  return write(call, async (session, timed) => {
    const command = { update: collectionOf(call), updates: [{ q, upsert, ...members }] };
    const reply = await session.run(databaseOf(call, session), { ...command, ...timed });
    const [created] = documentsOf(reply['upserted']);
    const isCreated = created !== undefined;
    const matched = (Number(reply['n']) || 0) - (isCreated ? 1 : 0);
    return {
      matchedCount: matched,
      modifiedCount: Number(reply['nModified']) || 0,
      upsertedId: isCreated ? valueOutput(created['_id']) : null,
    };
  });
}
