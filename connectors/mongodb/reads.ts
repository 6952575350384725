import { Long } from 'bson';
import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { textInput } from '../postgresql/call-inputs.ts';
import {
  conditionInput,
  documentInput,
  documentOutput,
  documentsOutput,
  pipelineInput,
  valueOutput,
} from './documents.ts';
import { withMongoSession } from './session.ts';
import type { MongoSession } from './session.ts';
import type { BsonDocument } from './wire.ts';

const DEFAULT_TOP = 100;
const MAX_TOP = 1_000;

/** Databases that the user may see. */
export function listDatabases(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const reply = await session.run('admin', { listDatabases: 1, maxTimeMS: session.remainingMs() });
    const items = documentsOf(reply['databases']).map(({ name, sizeOnDisk, empty }) => ({
      name: String(name),
      sizeBytes: Number(sizeOnDisk) || 0,
      isEmpty: empty === true,
    }));
    return { items };
  });
}

/** Collections and views of one database. */
export function listCollections(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const command = { listCollections: 1, authorizedCollections: true, nameOnly: true };
    const reply = await session.run(database, {
      ...command,
      cursor: { batchSize: MAX_TOP },
      maxTimeMS: session.remainingMs(),
    });
    const items = (await wholeBatch(session, database, reply))
      .map(({ name, type }) => ({ database, name: String(name), type: String(type) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { items };
  });
}

/** Indexes of one collection. */
export function listIndexes(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const reply = await session.run(database, {
      listIndexes: collectionOf(call),
      cursor: { batchSize: MAX_TOP },
      maxTimeMS: session.remainingMs(),
    });
    const items = (await wholeBatch(session, database, reply)).map(({ name, key, unique, ...others }) => ({
      name: String(name),
      keys: documentOutput(asDocument(key)),
      isUnique: unique === true || name === '_id_',
      options: documentOutput(others),
    }));
    return { items };
  });
}

/** One page of the matching documents. */
export function findDocuments(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const top = Math.min(call.top ?? DEFAULT_TOP, MAX_TOP);
    const documents = await find(call, session, { limit: top, skip: call.offset ?? 0 });
    return { items: documentsOutput(documents, call.maxOutputBytes) };
  });
}

/** The first matching document; null if there is none. */
export function findDocument(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const [document] = await find(call, session, { limit: 1 });
    return { document: document === undefined ? null : documentOutput(document) };
  });
}

/** The number of matching documents. Without a condition, it is the server's own count for the collection. */
export function countDocuments(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const filter = conditionInput(call.fields, 'filter') ?? {};
    const collection = collectionOf(call);
    const maxTimeMS = session.remainingMs();
    if (Object.keys(filter).length === 0) {
      const { n } = await session.run(database, { count: collection, maxTimeMS });
      return { count: Number(n) || 0 };
    }
    const pipeline = [{ $match: filter }, { $group: { _id: null, count: { $sum: 1 } } }];
    const reply = await session.run(database, { aggregate: collection, pipeline, cursor: {}, maxTimeMS });
    const [group] = await wholeBatch(session, database, reply);
    return { count: Number(group?.['count']) || 0 };
  });
}

/** The distinct values of one field. */
export function listDistinctValues(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const reply = await session.run(databaseOf(call, session), {
      distinct: collectionOf(call),
      key: textInput(call.fields, 'field') ?? '',
      query: conditionInput(call.fields, 'filter') ?? {},
      maxTimeMS: session.remainingMs(),
    });
    const values: readonly unknown[] = Array.isArray(reply['values']) ? reply['values'] : [];
    return { values: values.map(valueOutput) };
  });
}

/** The first results of a read-only pipeline. */
export function aggregate(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const limit = Math.min(Number(call.fields['limit'] ?? DEFAULT_TOP), MAX_TOP);
    const reply = await session.run(database, {
      aggregate: collectionOf(call),
      pipeline: pipelineInput(call.fields, 'pipeline', 'read'),
      cursor: { batchSize: limit },
      maxTimeMS: session.remainingMs(),
    });
    const { documents, isMore } = await closedBatch(session, database, reply);
    return { items: documentsOutput(documents, call.maxOutputBytes), hasMore: isMore };
  });
}

/** The server's execution plan for a query, or for a pipeline if one is given. */
export function explainQuery(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const pipeline = pipelineInput(call.fields, 'pipeline', 'read');
    const explain =
      pipeline.length === 0
        ? { find: collectionOf(call), ...selectionOf(call) }
        : { aggregate: collectionOf(call), pipeline, cursor: {} };
    const verbosity = call.fields['isExecuted'] === true ? 'executionStats' : 'queryPlanner';
    const reply = await session.run(databaseOf(call, session), {
      explain,
      verbosity,
      maxTimeMS: session.remainingMs(),
    });
    const { queryPlanner, executionStats, stages } = reply;
    const plan = Object.entries({ queryPlanner, executionStats, stages }).filter(
      ([, part]) => part !== undefined,
    );
    return { plan: documentOutput(Object.fromEntries(plan)) };
  });
}

/** The collection that a call names. */
export function collectionOf({ fields }: HandlerCall): string {
  return textInput(fields, 'collection') ?? '';
}

/** The database that a call names, else that of its connection. */
export function databaseOf({ fields }: HandlerCall, session: MongoSession): string {
  return textInput(fields, 'database') ?? session.database;
}

/** The documents of a command's cursor. Throws HandlerError if there are more than its first batch holds. */
export async function wholeBatch(
  session: MongoSession,
  database: string,
  reply: BsonDocument,
): Promise<readonly BsonDocument[]> {
  const { documents, isMore } = await closedBatch(session, database, reply);
  if (isMore)
    throw new HandlerError(
      'The result is larger than one reply of the server. Request fewer documents or fields.',
    );
  return documents;
}

function selectionOf(call: HandlerCall): BsonDocument {
  return {
    filter: conditionInput(call.fields, 'filter') ?? {},
    projection: conditionInput(call.fields, 'projection'),
    sort: documentInput(call.fields, 'sort'),
  };
}

async function find(
  call: HandlerCall,
  session: MongoSession,
  page: { readonly limit: number; readonly skip?: number },
): Promise<readonly BsonDocument[]> {
  const database = databaseOf(call, session);
  const reply = await session.run(database, {
    find: collectionOf(call),
    ...selectionOf(call),
    ...page,
    batchSize: page.limit,
    maxTimeMS: session.remainingMs(),
  });
  return wholeBatch(session, database, reply);
}

/** The first batch of a cursor. If there are more, the cursor is closed. */
async function closedBatch(
  session: MongoSession,
  database: string,
  { cursor }: BsonDocument,
): Promise<{ readonly documents: readonly BsonDocument[]; readonly isMore: boolean }> {
  const { id, ns, firstBatch } = asDocument(cursor);
  const isMore = String(id) !== '0';
  if (isMore) {
    const collection = String(ns).slice(database.length + 1);
    await session.run(database, {
      killCursors: collection,
      cursors: [typeof id === 'number' ? Long.fromNumber(id) : id],
    });
  }
  return { documents: documentsOf(firstBatch), isMore };
}

/** A value of a reply as a document with unknown members; an empty document if the value is none. */
export function asDocument(value: unknown): BsonDocument {
  return typeof value === 'object' && value !== null ? (value as BsonDocument) : {};
}

/** A value of a reply as a list of documents, like asDocument. */
export function documentsOf(value: unknown): readonly BsonDocument[] {
  return Array.isArray(value) ? value.map(asDocument) : [];
}
