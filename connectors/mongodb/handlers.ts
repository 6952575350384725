import type { Handler } from '@fairlead/connector-runtime/handler';
import { describeCollection } from './describe.ts';
import { documentsCreated } from './documents-created.ts';
import {
  aggregate,
  countDocuments,
  explainQuery,
  findDocument,
  findDocuments,
  listCollections,
  listDatabases,
  listDistinctValues,
  listIndexes,
} from './reads.ts';
import { withMongoSession } from './session.ts';
import {
  createCollection,
  createIndex,
  deleteDocuments,
  dropCollection,
  dropIndex,
  findAndUpdateDocument,
  insertDocuments,
  replaceDocument,
  updateDocuments,
  writeAggregation,
} from './writes.ts';

/** Logs in: a successful login proves the credential. */
const testConnection: Handler = (call) =>
  withMongoSession(call, 'read', async (session) => {
    await session.run(session.database, { ping: 1 });
    return {};
  });

/** The handlers that the manifest of `mongodb` names. */
export const handlers: Readonly<Record<string, Handler>> = {
  aggregate,
  countDocuments,
  createCollection,
  createIndex,
  deleteDocuments,
  describeCollection,
  documentsCreated,
  dropCollection,
  dropIndex,
  explainQuery,
  findAndUpdateDocument,
  findDocument,
  findDocuments,
  insertDocuments,
  listCollections,
  listDatabases,
  listDistinctValues,
  listIndexes,
  replaceDocument,
  testConnection,
  updateDocuments,
  writeAggregation,
};
