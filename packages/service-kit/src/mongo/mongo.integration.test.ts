import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Db } from 'mongodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createRequestContext } from '../context/context.ts';
import { randomBase62 } from '../ids.ts';
import { connectMongo, operationOptions } from './mongo.ts';
import { defineCollection } from './collection.ts';
import type { MongoStore } from './mongo.ts';
import type { CollectionDefinition } from './collection.ts';
import type { Migration } from './schema.ts';
import { fromConnectError, toConnectError } from '../rpc/errors.ts';
import { Secret } from '../secret.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { testStore } from '../testing/mongo.ts';

interface Pet {
  readonly _id: number;
  readonly account: string;
  readonly name?: string;
}

const pets = defineCollection<Pet>({
  name: 'pets',
  indexes: [
    { key: { account: 1, name: 1 }, unique: true, partialFilterExpression: { name: { $exists: true } } },
    { key: { name: -1 }, name: 'byName', sparse: true },
  ],
});

const databases: MongoStore[] = [];
afterEach(async () => {
  for (const [index, store] of databases.splice(0).entries()) {
    if (index === 0) await store.db.dropDatabase();
    await store.close();
  }
});

/** Connects like a replica of a service; all replicas of a test share a database. */
function replicas() {
  const database = `test_${randomBase62(16)}`;
  const { log, lines } = captureLog();
  return {
    lines,
    messages: () => lines().map(({ msg }) => msg),
    connect: async (
      collections: readonly CollectionDefinition<Pet>[],
      migrations: readonly Migration[] = [],
    ) => {
      const store = await connectMongo({
        uri: new Secret(inject('mongodbUri')),
        database,
        log,
        collections,
        migrations,
      });
      databases.push(store);
      return store;
    },
  };
}

async function indexNames(db: Db): Promise<string[]> {
  return (await db.collection('pets').indexes())
    .map(({ name }) => name ?? '')
    .toSorted((a, b) => a.localeCompare(b));
}

describe('collections and indexes', () => {
  it('are made as declared', async () => {
    const store = await replicas().connect([pets]);
    expect(await store.db.collection('pets').indexes()).toMatchObject([
      { name: '_id_' },
      { name: 'account_1_name_1', unique: true, partialFilterExpression: { name: { $exists: true } } },
      { name: 'byName', key: { name: -1 }, sparse: true },
    ]);
  });

  it('a second replica changes nothing', async () => {
    const { connect, lines } = replicas();
    await connect([pets]);
    const before = lines().length;
    await connect([pets]);
    expect(lines()).toHaveLength(before);
  });

  it('documents that violate a new unique index stop the boot with a clear message', async () => {
    const { connect } = replicas();
    const store = await connect([defineCollection<Pet>({ name: 'pets', indexes: [] })]);
    await store.collection(pets).insertMany([
      { _id: 1, account: 'a', name: 'Rex' },
      { _id: 2, account: 'a', name: 'Rex' },
    ]);
    await expect(connect([pets])).rejects.toThrow(
      'Collection pets holds documents that its unique index does not allow',
    );
  });

  it('replicas that start at once do not disturb each other', async () => {
    const { connect, messages } = replicas();
    const [first] = await Promise.all([connect([pets]), connect([pets]), connect([pets])]);
    expect(await indexNames(first.db)).toEqual(['_id_', 'account_1_name_1', 'byName']);
    expect(messages().filter((msg) => msg === 'created indexes')).toHaveLength(1);
  });
});

describe('migrations', () => {
  it('run once in their order, whatever the number of replicas', async () => {
    const { connect } = replicas();
    const ran: string[] = [];
    const migration = (id: string): Migration => ({
      id,
      up: async (db) => {
        ran.push(id);
        await db.collection('pets').updateMany({}, { $set: { [id]: true } });
      },
    });
    await Promise.all([
      connect([pets], [migration('a'), migration('b')]),
      connect([pets], [migration('a'), migration('b')]),
    ]);
    await connect([pets], [migration('a'), migration('b'), migration('c')]);
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('one that fails stops the boot and runs again at the next', async () => {
    const { connect } = replicas();
    let isBroken = true;
    const ran: string[] = [];
    const migration: Migration = {
      id: 'a',
      up: () => {
        ran.push('a');
        return isBroken ? Promise.reject(new Error('cannot split names')) : Promise.resolve();
      },
    };
    await expect(connect([pets], [migration])).rejects.toThrow('cannot split names');
    isBroken = false;
    await connect([pets], [migration]);
    await connect([pets], [migration]);
    expect(ran).toEqual(['a', 'a']);
  });

  it('run before unique indexes are made, so that they can clean up', async () => {
    const { connect } = replicas();
    const store = await connect([defineCollection<Pet>({ name: 'pets', indexes: [] })]);
    await store.collection(pets).insertMany([
      { _id: 1, account: 'a', name: 'Rex' },
      { _id: 2, account: 'a', name: 'Rex' },
    ]);
    const { db } = await connect(
      [pets],
      [{ id: 'a', up: async (d) => void (await d.collection<Pet>('pets').deleteOne({ _id: 2 })) }],
    );
    expect(await indexNames(db)).toContain('account_1_name_1');
  });

  it('a lock whose holder died is taken over', async () => {
    const { connect } = replicas();
    const { db } = await connect([]);
    await db
      .collection<{ _id: string; owner: string; expiresAt: Date }>('_locks')
      .insertOne({ _id: 'schema', owner: 'dead', expiresAt: new Date(Date.now() - 1) });
    await connect([pets]);
    expect(await indexNames(db)).toHaveLength(3);
    expect(await db.collection('_locks').countDocuments()).toBe(0);
  });
});

it('a sequence gives each number once, without a gap', async () => {
  const store = await testStore(inject('mongodbUri'), []);
  const numbers = await Promise.all(Array.from({ length: 50 }, () => store.nextSequence('connections')));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  expect(await store.nextSequence('providers')).toBe(1);
  await store.drop();
});

it('a transaction that throws leaves nothing', async () => {
  const store = await replicas().connect([pets]);
  const collection = store.collection(pets);
  const run = store.withTransaction(async (session) => {
    await collection.insertOne({ _id: 1, account: 'a' }, { session });
    throw new Error('changed my mind');
  });
  await expect(run).rejects.toThrow('changed my mind');
  expect(await collection.countDocuments()).toBe(0);
  await store.withTransaction((session) => collection.insertOne({ _id: 1, account: 'a' }, { session }));
  expect(await collection.countDocuments()).toBe(1);
});

it('writes are acknowledged by the majority and the journal; reads see what the majority has', async () => {
  const { db } = await replicas().connect([]);
  expect(db.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(db.readConcern).toMatchObject({ level: 'majority' });
});

describe('operationOptions', () => {
  it('a read that takes longer than the request may is a TIMEOUT', async () => {
    const store = await replicas().connect([pets]);
    await store.collection(pets).insertOne({ _id: 1, account: 'a' });
    const { caller, log, requestId } = testContext();
    const ctx = createRequestContext({
      caller,
      log,
      requestId,
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + 50),
    });
    const slow = store
      .collection(pets)
      .findOne({ $where: 'sleep(5000) || true' }, operationOptions(ctx))
      .catch((error: unknown) => error);
    expect(fromConnectError(toConnectError(await slow)).code).toBe('TIMEOUT');
  });

  it('a read stops when its request is aborted', async () => {
    const store = await replicas().connect([pets]);
    await store.collection(pets).insertOne({ _id: 1, account: 'a' });
    const { caller, log, requestId } = testContext();
    const signal = AbortSignal.timeout(50);
    const ctx = createRequestContext({ caller, log, requestId, signal });
    const slow = store
      .collection(pets)
      .findOne({ $where: 'sleep(3000) || true' }, operationOptions(ctx))
      .catch((error: unknown) => error);
    expect(fromConnectError(toConnectError(await slow)).code).toBe('TIMEOUT');
  });

  it('writes use the same options', async () => {
    const store = await replicas().connect([pets]);
    await store.collection(pets).insertOne({ _id: 1, account: 'a' }, operationOptions(testContext()));
    const { caller, log, requestId } = testContext();
    const deadline = new Date(Date.now() + 10_000);
    const ctx = createRequestContext({
      caller,
      log,
      requestId,
      signal: new AbortController().signal,
      deadline,
    });
    await store.collection(pets).updateOne({ _id: 1 }, { $set: { name: 'Rex' } }, operationOptions(ctx));
    expect(await store.collection(pets).findOne({ _id: 1 }, operationOptions(ctx))).toEqual({
      _id: 1,
      account: 'a',
      name: 'Rex',
    });
  });
});

it('a MongoDB that becomes unreachable is UNAVAILABLE', async () => {
  const proxy = await startProxy(new URL(inject('mongodbUri')));
  const store = await testStore(proxy.uri, [pets]);
  await store.collection(pets).insertOne({ _id: 1, account: 'a' });
  proxy.close();
  const error: unknown = await store
    .collection(pets)
    .findOne({ _id: 1 })
    .catch((reason: unknown) => reason);
  expect(fromConnectError(toConnectError(error)).code).toBe('UNAVAILABLE');
  await store.close();
});

/** A TCP proxy before mongod, which a test can interrupt. */
async function startProxy(target: URL): Promise<{ uri: string; close(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((inbound) => {
    const outbound = net.connect(Number(target.port), target.hostname);
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    inbound.pipe(outbound).pipe(inbound);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
