import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { startTestMongod } from '@fairlead/local-stores/testing/mongod';
import type { TestMongod } from '@fairlead/local-stores/testing/mongod';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorHandlers, workerEntry } from '../handlers.ts';

const PASSWORD = 'p=s,s wörd';
const connector = testConnector({ slug: 'mongodb', name: 'MongoDB' });
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: workerEntry,
  allow: { onlyTo: ['127.0.0.1'] },
  log: createLogger({ service: 'test', level: 'silent' }),
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });

let directory: string;
let mongod: TestMongod;
let client: MongoClient;
let address: { host: string; port: number };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-mongodb-'));
  mongod = await startTestMongod({ dataDirectory: directory, log: () => undefined });
  client = await MongoClient.connect(mongod.uri);
  const { hostname, port } = new URL(mongod.uri);
  address = { host: hostname, port: Number(port) };
  for (const [user, mechanism] of [
    ['ada', 'SCRAM-SHA-256'],
    ['b=o,b', 'SCRAM-SHA-1'],
  ])
    await client
      .db('admin')
      .command({ createUser: user, pwd: PASSWORD, roles: ['root'], mechanisms: [mechanism] });
});
afterAll(async () => {
  await Promise.all([egress.close(), workers.close(), client.close()]);
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await client.db('shop').dropDatabase();
});

function fieldsOf(members: JsonObject = {}): JsonObject {
  return { ...address, database: 'shop', user: 'ada', password: PASSWORD, sslMode: 'disable', ...members };
}

function execute(
  handler: string,
  fields: JsonObject,
  page: { readonly top?: number; readonly offset?: number } = {},
): Promise<ToolOutcome> {
  return runtime.execute(
    testCall(testTool({ type: 'handler', handler }), {
      connector,
      credential: testCredential(fieldsOf(), { secrets: [PASSWORD] }),
      fields,
      ...page,
    }),
    testOptions(),
  );
}

async function output(
  handler: string,
  fields: JsonObject,
  page: { readonly top?: number; readonly offset?: number } = {},
): Promise<JsonObject> {
  const outcome = await execute(handler, fields, page);
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  return outcome.output;
}

const jobs = { collection: 'jobs' };

async function insert(...documents: readonly JsonObject[]): Promise<void> {
  await output('insertDocuments', { ...jobs, documents });
}

it('a login proves the credential by either mechanism, and a wrong password is refused', async () => {
  const check = (members: JsonObject): Promise<unknown> =>
    runtime.testCredential(
      testConnector({ slug: 'mongodb' }),
      testMethod({ type: 'custom' }, { test: { type: 'handler', handler: 'testConnection' } }),
      testCredential(fieldsOf(members)),
      testOptions(),
    );
  expect(await check({})).toMatchObject({ isSuccess: true });
  expect(await check({ user: 'b=o,b' })).toMatchObject({ isSuccess: true });
  for (const members of [{ password: 'wrong' }, { user: 'b=o,b', password: 'wrong' }, { user: 'nobody' }])
    expect(await check(members)).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('Authentication failed') as string,
    });
});

it('the primary is found from any list of hosts, and a member that cannot be reached is passed over', async () => {
  const host = `127.0.0.1:1,${address.host}:${address.port}`;
  const outcome = await runtime.execute(
    testCall(testTool({ type: 'handler', handler: 'listDatabases' }), {
      connector,
      credential: testCredential(fieldsOf({ host })),
      fields: {},
    }),
    testOptions(),
  );
  expect(outcome).toMatchObject({ isSuccess: true });
});

describe('documents', () => {
  it('come back as Extended JSON with the types that they were inserted with', async () => {
    const document = {
      _id: { $oid: '65f000000000000000000001' },
      at: { $date: '2026-11-30T00:00:00Z' },
      total: { $numberDecimal: '1.10' },
      large: { $numberLong: '9007199254740993' },
      bytes: { $binary: { base64: 'AQID', subType: '00' } },
      name: 'é',
      tags: ['a', 2, null, true, { deep: [1.5] }],
    };
    expect(await output('insertDocuments', { ...jobs, documents: [document] })).toEqual({
      insertedIds: [document._id],
    });
    expect(await output('findDocument', { ...jobs, filter: { _id: document._id } })).toEqual({ document });
    expect(await output('findDocument', { ...jobs, filter: { _id: 'none' } })).toEqual({ document: null });
  });

  it('are found by condition, projection, order and page', async () => {
    await insert({ _id: 1, n: 'a' }, { _id: 2, n: 'b' }, { _id: 3, n: 'c' });
    const search = { ...jobs, filter: { _id: { $gt: 1 } }, projection: { n: 1, _id: 0 }, sort: { _id: -1 } };
    expect(await output('findDocuments', search)).toEqual({ items: [{ n: 'c' }, { n: 'b' }] });
    expect(await output('findDocuments', search, { top: 1, offset: 1 })).toEqual({ items: [{ n: 'b' }] });
    expect(await output('countDocuments', jobs)).toEqual({ count: 3 });
    expect(await output('countDocuments', { ...jobs, filter: search.filter })).toEqual({ count: 2 });
    expect(await output('listDistinctValues', { ...jobs, field: 'n', filter: search.filter })).toEqual({
      values: ['b', 'c'],
    });
  });

  it('are changed, replaced, returned and deleted by condition', async () => {
    await insert({ _id: 1, s: 'open' }, { _id: 2, s: 'open' });
    const open = { ...jobs, filter: { s: 'open' } };
    const changed = { matchedCount: 1, modifiedCount: 1, upsertedId: null };
    const late = { ...open, update: { $set: { s: 'late' } }, isFirstOnly: true };
    expect(await output('updateDocuments', late)).toEqual(changed);
    expect(await output('updateDocuments', { ...open, update: { $inc: { n: 2 } } })).toEqual(changed);
    expect(await output('replaceDocument', { ...jobs, filter: { _id: 2 }, document: { x: 1 } })).toEqual(
      changed,
    );
    const upsert = { ...jobs, filter: { _id: 3 }, update: { $set: { x: 3 } }, isUpsert: true };
    expect(await output('updateDocuments', upsert)).toEqual({
      matchedCount: 0,
      modifiedCount: 0,
      upsertedId: 3,
    });
    const step = {
      ...jobs,
      filter: { x: { $exists: true } },
      update: { $inc: { x: 10 } },
      sort: { _id: -1 },
    };
    expect(await output('findAndUpdateDocument', step)).toEqual({ document: { _id: 3, x: 13 } });
    expect(await output('findAndUpdateDocument', { ...step, isBefore: true })).toEqual({
      document: { _id: 3, x: 13 },
    });
    expect(await output('deleteDocuments', { ...jobs, filter: { _id: { $lte: 2 } } })).toEqual({
      deletedCount: 2,
    });
    expect(await output('findDocuments', jobs)).toEqual({ items: [{ _id: 3, x: 23 }] });
  });

  it('are not changed by a condition that was forgotten, nor replaced by an update', async () => {
    await insert({ _id: 1 });
    for (const [handler, fields, field] of [
      ['deleteDocuments', { filter: {} }, 'fields.filter'],
      ['updateDocuments', { filter: {}, update: { $set: { a: 1 } } }, 'fields.filter'],
      ['updateDocuments', { filter: { _id: 1 }, update: { a: 1 } }, 'fields.update'],
      ['replaceDocument', { filter: { _id: 1 }, document: { $set: { a: 1 } } }, 'fields.document'],
      ['dropIndex', { name: '*' }, 'fields.name'],
      ['findDocuments', { filter: { $oid: '65f000000000000000000001' } }, 'fields.filter'],
      ['findDocuments', { filter: { _id: { $oid: 'x' } } }, 'fields.filter'],
    ] as const)
      expect(await execute(handler, { ...jobs, ...fields })).toMatchObject({ inputIssues: [{ field }] });
    expect(await output('findDocuments', jobs)).toEqual({ items: [{ _id: 1 }] });
  });

  it('that the server refuses are a failure with its words', async () => {
    await insert({ _id: 1 });
    expect(await execute('insertDocuments', { ...jobs, documents: [{ _id: 2 }, { _id: 1 }] })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(/duplicate key.*1 written before it/s) as string,
    });
    expect(await execute('findDocuments', { ...jobs, filter: { a: { $nope: 1 } } })).toMatchObject({
      errorMessage: expect.stringContaining('unknown operator: $nope') as string,
    });
  });

  it('that are too large together are a failure, not a part of them', async () => {
    await insert(...Array.from({ length: 3 }, (_value, _id) => ({ _id, text: 'x'.repeat(600_000) })));
    expect(await execute('findDocuments', jobs)).toMatchObject({
      errorMessage: expect.stringContaining('larger than 1 MiB') as string,
    });
    expect(await output('findDocuments', { ...jobs, projection: { _id: 1 } })).toMatchObject({
      items: [{ _id: 0 }, { _id: 1 }, { _id: 2 }],
    });
    const many = Array.from({ length: 1_000 }, (_value, n) => ({ list: Array<number>(150).fill(n) }));
    await insert(...many);
    expect(
      await execute('findDocuments', { ...jobs, filter: { list: { $exists: true } } }, { top: 1_000 }),
    ).toMatchObject({
      errorMessage: expect.stringContaining('more than 100000 values') as string,
    });
    expect(await output('countDocuments', jobs)).toEqual({ count: 1_003 });
  });
});

describe('aggregations', () => {
  it('return their first results and say whether there are more', async () => {
    await insert({ _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3, n: 2 });
    const pipeline = [{ $group: { _id: '$n', count: { $sum: 1 } } }, { $sort: { _id: 1 } }];
    expect(await output('aggregate', { ...jobs, pipeline })).toEqual({
      items: [
        { _id: 1, count: 2 },
        { _id: 2, count: 1 },
      ],
      hasMore: false,
    });
    expect(await output('aggregate', { ...jobs, pipeline, limit: 1 })).toMatchObject({ hasMore: true });
  });

  it('write only by the tool that says so, which must name where', async () => {
    await insert({ _id: 1 });
    const pipeline = [{ $match: {} }, { $out: 'copies' }];
    expect(await output('writeAggregation', { ...jobs, pipeline })).toEqual({ isWritten: true });
    expect(await output('countDocuments', { collection: 'copies' })).toEqual({ count: 1 });
    expect(await execute('writeAggregation', { ...jobs, pipeline: [{ $match: {} }] })).toMatchObject({
      inputIssues: [{ field: 'fields.pipeline' }],
    });
  });

  it.each([
    ['aggregate', { pipeline: [{ $out: 'x' }] }],
    ['aggregate', { pipeline: [{ $merge: { into: 'x' } }] }],
    ['aggregate', { pipeline: [{ $facet: { a: [{ $out: 'x' }] } }] }],
    ['explainQuery', { pipeline: [{ $out: 'x' }] }],
    ['aggregate', { pipeline: [{ $project: { a: { $function: { body: 'f', args: [], lang: 'js' } } } }] }],
    ['aggregate', { pipeline: [{ $group: { _id: 1, a: { $accumulator: {} } } }] }],
    ['writeAggregation', { pipeline: [{ $match: { $where: 'true' } }, { $out: 'x' }] }],
    ['findDocuments', { filter: { $and: [{ $where: 'true' }] } }],
    ['findDocuments', { projection: { a: { $function: {} } } }],
    ['countDocuments', { filter: { $expr: { $function: {} } } }],
    ['listDistinctValues', { field: 'a', filter: { $where: 'true' } }],
    ['updateDocuments', { filter: { $where: 'true' }, update: { $set: { a: 1 } } }],
    ['deleteDocuments', { filter: { $nor: [{ $where: { $code: 'true' } }] } }],
  ] as const)('%s refuses what writes or runs JavaScript: %j', async (handler, fields) => {
    // The literal is JSON.
    const given = { ...jobs, ...fields } as unknown as JsonObject;
    expect(await execute(handler, given)).toMatchObject({
      isSuccess: false,
      inputIssues: [{ issue: expect.stringMatching(/writes to a collection|runs JavaScript/) as string }],
    });
  });
});

it('collections and indexes are created, listed, described and dropped', async () => {
  const validator = { n: { $type: 'int' } };
  expect(await output('createCollection', { ...jobs, validator })).toEqual({ name: 'jobs' });
  await insert({ _id: 1, n: 1, address: { city: 'Ulm' } });
  expect(await execute('insertDocuments', { ...jobs, documents: [{ n: 'a' }] })).toMatchObject({
    errorMessage: expect.stringContaining('failed validation') as string,
  });
  expect(await output('listCollections', {})).toEqual({
    items: [{ database: 'shop', name: 'jobs', type: 'collection' }],
  });
  expect(await output('listDatabases', {})).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ name: 'shop' })]) as unknown,
  });
  const index = { ...jobs, keys: { n: -1 }, isUnique: true };
  expect(await output('createIndex', index)).toEqual({ name: 'n_-1' });
  expect(await output('createIndex', index)).toEqual({ name: 'n_-1' });
  expect(await output('listIndexes', jobs)).toMatchObject({
    items: [
      { name: '_id_', keys: { _id: 1 }, isUnique: true },
      { name: 'n_-1', keys: { n: -1 }, isUnique: true },
    ],
  });
  const explained = await output('explainQuery', { ...jobs, filter: { n: 1 }, isExecuted: true });
  expect(JSON.stringify(explained)).toContain('IXSCAN');
  expect(await output('explainQuery', { ...jobs, pipeline: [{ $match: { n: 1 } }] })).toMatchObject({
    plan: { queryPlanner: {} },
  });
  expect(await output('describeCollection', jobs)).toEqual({
    sampledCount: 1,
    fields: [
      { name: '_id', types: ['number'], count: 1 },
      { name: 'n', types: ['number'], count: 1 },
      { name: 'address', types: ['object'], count: 1 },
      { name: 'address.city', types: ['string'], count: 1 },
    ],
  });
  expect(await output('dropIndex', { ...jobs, name: 'n_-1' })).toEqual({ name: 'n_-1' });
  expect(await output('dropCollection', jobs)).toEqual({ name: 'jobs' });
  expect(await output('listCollections', { database: 'shop' })).toEqual({ items: [] });
});

it('a poll begins with the newest document and returns those that follow, each once', async () => {
  await output('insertDocuments', { ...jobs, documents: [{ title: 'old', kind: 'a' }] });
  const config = { ...jobs, filter: { kind: 'a' }, now: new Date().toISOString() };
  const { cursor = null } = await output('documentsCreated', config);
  await output('insertDocuments', {
    ...jobs,
    documents: [
      { title: 'new', kind: 'a' },
      { title: 'other', kind: 'b' },
    ],
  });
  const second = await output('documentsCreated', { ...config, cursor });
  expect(second).toMatchObject({
    items: [{ payload: expect.stringContaining('"title":"new"') as string }],
    hasMore: false,
  });
  const { cursor: next = null } = second;
  expect(await output('documentsCreated', { ...config, cursor: next })).toMatchObject({ items: [] });
});
