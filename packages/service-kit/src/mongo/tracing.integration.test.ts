import { randomBase62 } from '../ids.ts';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { connectMongo } from './mongo.ts';
import { defineCollection } from './collection.ts';
import type { MongoStore } from './mongo.ts';
import { Secret } from '../secret.ts';
import { captureLog } from '../testing/log-lines.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import type { RecordedSpan } from '../testing/recording-tracer.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';

interface Pet {
  readonly _id: number;
  readonly name: string;
}

const pets = defineCollection<Pet>({ name: 'pets', indexes: [{ key: { name: 1 }, unique: true }] });

let recording: ReturnType<typeof recordSpans>;
let store: MongoStore;
let seen = 0;

beforeAll(async () => {
  recording = recordSpans();
  store = await connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: `test_${randomBase62(16)}`,
    log: captureLog().log,
    collections: [pets],
  });
});
afterAll(async () => {
  await store.db.dropDatabase();
  await store.close();
  recording.stop();
});
beforeEach(() => {
  seen = recording.spans.length;
});

function traced<T>(name: string, f: () => Promise<T>): Promise<T> {
  return inSpan(startSpan({ name, kind: 'server' }), f);
}

function fresh(): readonly RecordedSpan[] {
  return recording.spans.slice(seen);
}

test('commands outside of a request, such as those of the start, are not traced', async () => {
  await store.collection(pets).findOne({ name: 'nobody' });
  expect(recording.spans).toEqual([]);
});

test('a command is a child of the request that sent it, with its name, collection and database', async () => {
  await traced('request', () => store.collection(pets).insertOne({ _id: 1, name: 'canary' }));
  const [request, command] = fresh();
  expect(command).toMatchObject({
    name: 'insert pets',
    kind: 'client',
    parentId: request?.spanId,
    traceId: request?.traceId,
    attributes: {
      'db.system.name': 'mongodb',
      'db.operation.name': 'insert',
      'db.namespace': store.db.databaseName,
      'db.collection.name': 'pets',
    },
    failure: undefined,
    hasEnded: true,
  });
  expect(JSON.stringify(fresh())).not.toContain('canary');
});

test('concurrent requests keep their commands apart, even while they wait for a connection', async () => {
  const names = Array.from({ length: 150 }, (_, n) => `request ${n}`);
  await Promise.all(names.map((name) => traced(name, () => store.collection(pets).findOne({ name }))));
  const requests = fresh().filter(({ name }) => name.startsWith('request'));
  const commands = fresh().filter(({ name }) => name === 'find pets');
  expect(commands).toHaveLength(names.length);
  expect(new Set(commands.map(({ parentId }) => parentId))).toEqual(
    new Set(requests.map(({ spanId }) => spanId)),
  );
  expect(commands.every(({ hasEnded }) => hasEnded)).toBe(true);
});

test('a long list shows each batch', async () => {
  await store.collection(pets).insertMany([2, 3, 4, 5].map((n) => ({ _id: n, name: `pet ${n}` })));
  seen = recording.spans.length;
  await traced('list', () => store.collection(pets).find({}, { batchSize: 2 }).toArray());
  const names = fresh().map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['list', 'find pets', 'getMore pets']);
});

test('a command that fails fails its span, without the text of the failure', async () => {
  const command = () => store.db.command({ aggregate: 'pets', pipeline: [{ $canary: 1 }], cursor: {} });
  await expect(traced('request', command)).rejects.toThrow('canary');
  expect(fresh()[1]).toMatchObject({ name: 'aggregate pets', failure: 'MongoServerError', hasEnded: true });
  expect(JSON.stringify(fresh())).not.toContain('canary');
});
