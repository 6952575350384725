import { EJSON } from 'bson';
import type { JsonObject } from '@fairlead/connector-model/json';
import { parsedMembers } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { OVERLAP, cursorAfter, cursorOf, readPage } from '../onprem-database/created-cursor.ts';
import type { CreatedCursor } from '../onprem-database/created-cursor.ts';
import { textInput } from '../postgresql/call-inputs.ts';
import { conditionInput, documentsOutput } from './documents.ts';
import { asDocument, collectionOf, databaseOf, wholeBatch } from './reads.ts';
import { withMongoSession } from './session.ts';
import type { BsonDocument } from './wire.ts';

/**
 * Documents of a collection that were created since the cursor, as a PollRead. Without a cursor: no documents, and a cursor for the
 * present.
 */
export async function documentsCreated(call: HandlerCall): Promise<JsonObject> {
  const cursor = cursorOf(parsedMembers(call.fields)['cursor']);
  if (cursor === undefined) {
    const newest = await read(call, { [fieldOf(call)]: { $exists: true } }, -1, OVERLAP + 1);
    return { cursor: { ...cursorAfter(null, newest.map((each) => keyOf(call, each)).toReversed()) } };
  }
  return { ...(await documentsSince(call, cursor)) };
}

async function documentsSince(call: HandlerCall, cursor: CreatedCursor): Promise<JsonObject> {
  const condition = cursor.since === null ? { $exists: true } : { $gt: valueOf(cursor.since) };
  const { rows, limit } = await readPage(async (most) => {
    const documents = await read(call, { [fieldOf(call)]: condition }, 1, most);
    const payloads = documentsOutput(documents, call.maxOutputBytes);
    return documents.map((document, index) => ({
      key: keyOf(call, document),
      payload: payloads[index] ?? {},
    }));
  }, cursor.known.length);
  const known = new Set(cursor.known);
  const timeMs = Date.parse(textInput(call.fields, 'now') ?? '');
  const items = rows
    .filter(({ key }) => !known.has(key))
    .map(({ key, payload }) => ({ key, timeMs, payload: JSON.stringify(payload) }));
  const next = cursorAfter(
    cursor.since,
    rows.map(({ key }) => key),
  );
  return { items, cursor: { ...next }, hasMore: rows.length === limit, gaps: [] };
}

function read(
  call: HandlerCall,
  condition: BsonDocument,
  direction: 1 | -1,
  limit: number,
): Promise<readonly BsonDocument[]> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const reply = await session.run(database, {
      find: collectionOf(call),
      filter: { $and: [condition, conditionInput(call.fields, 'filter') ?? {}] },
      sort: { [fieldOf(call)]: direction },
      limit,
      batchSize: limit,
      maxTimeMS: session.remainingMs(),
    });
    return wholeBatch(session, database, reply);
  });
}

function fieldOf({ fields }: HandlerCall): string {
  return textInput(fields, 'field') ?? '_id';
}

/** The value of the field as text from which its type can be read. */
function keyOf(call: HandlerCall, document: BsonDocument): string {
  const value: unknown = fieldOf(call)
    .split('.')
    .reduce<unknown>((parent, name) => asDocument(parent)[name], document);
  return EJSON.stringify(value, { relaxed: false });
}

function valueOf(key: string): unknown {
  return EJSON.parse(key, { relaxed: false });
}
