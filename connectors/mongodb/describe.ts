import { ObjectId } from 'bson';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { asDocument, collectionOf, databaseOf, wholeBatch } from './reads.ts';
import { withMongoSession } from './session.ts';
import type { BsonDocument } from './wire.ts';

const DEFAULT_SAMPLE = 100;
const MAX_SAMPLE = 1_000;
/** Maximum depth of nested documents whose fields are listed. */
const MAX_LEVELS = 4;
const MAX_FIELDS = 500;

interface Seen {
  readonly types: Set<string>;
  count: number;
}

/** The fields of a collection, found in a sample of its documents. */
export function describeCollection(call: HandlerCall): Promise<JsonObject> {
  return withMongoSession(call, 'read', async (session) => {
    const database = databaseOf(call, session);
    const size = Math.min(Number(call.fields['sampleSize'] ?? DEFAULT_SAMPLE), MAX_SAMPLE);
    const reply = await session.run(database, {
      aggregate: collectionOf(call),
      pipeline: [{ $sample: { size } }],
      cursor: { batchSize: MAX_SAMPLE },
      maxTimeMS: session.remainingMs(),
    });
    const documents = await wholeBatch(session, database, reply);
    const fields = new Map<string, Seen>();
    for (const document of documents) addFields(fields, document, '', 1);
    const items = [...fields].map(([name, { types, count }]) => ({
      name,
      types: [...types].toSorted(),
      count,
    }));
    return { sampledCount: documents.length, fields: items };
  });
}

function addFields(fields: Map<string, Seen>, document: BsonDocument, prefix: string, level: number): void {
  for (const [name, value] of Object.entries(document)) {
    const path = `${prefix}${name}`;
    const known = fields.get(path);
    if (known === undefined && fields.size >= MAX_FIELDS) continue;
    const seen = known ?? { types: new Set(), count: 0 };
    fields.set(path, seen);
    seen.count += 1;
    const type = typeOf(value);
    seen.types.add(type);
    if (type === 'object' && level < MAX_LEVELS) addFields(fields, asDocument(value), `${path}.`, level + 1);
  }
}

/** The type's name in MongoDB, except that all numbers are `number`. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof ObjectId) return 'objectId';
  if (typeof value !== 'object') return typeof value === 'boolean' ? 'bool' : typeof value;
  const { _bsontype: type } = asDocument(value);
  if (typeof type !== 'string') return 'object';
  return type === 'Long' || type === 'Decimal128' ? 'number' : type.toLowerCase();
}
