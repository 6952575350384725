import { MongoClient } from 'mongodb';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { startMongod } from './mongod.ts';
import type { RunningMongod } from './mongod.ts';
import { freePort } from './ports.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

async function start(dataDirectory: string, port?: number): Promise<RunningMongod> {
  const mongod = await startMongod({ dataDirectory, ...(port === undefined ? {} : { port }) });
  onTestFinished(() => mongod.stop());
  return mongod;
}

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function names(uri: string): Promise<unknown[]> {
  return withClient(uri, (client) => client.db('test').collection('things').distinct('name'));
}

function insert(uri: string, name: string): Promise<unknown> {
  return withClient(uri, (client) => client.db('test').collection('things').insertOne({ name }));
}

test('it takes transactions as soon as it is started', async () => {
  const mongod = await start(await temporaryFolder());
  await withClient(mongod.uri, async (client) => {
    await client.withSession((session) =>
      session.withTransaction(() =>
        client.db('test').collection('things').insertOne({ name: 'a' }, { session }),
      ),
    );
  });
  expect(await names(mongod.uri)).toEqual(['a']);
});

test('a transaction whose process was killed does not keep its documents for a minute', async () => {
  const mongod = await start(await temporaryFolder());
  await withClient(mongod.uri, async (client) => {
    const things = client.db('test').collection('things');
    await things.insertOne({ name: 'a' });
    await client.withSession(async (abandoned) => {
      abandoned.startTransaction();
      await things.updateOne({ name: 'a' }, { $set: { name: 'b' } }, { session: abandoned });
      await client.withSession((session) =>
        session.withTransaction(() => things.updateOne({ name: 'a' }, { $set: { name: 'c' } }, { session })),
      );
      await expect(abandoned.commitTransaction()).rejects.toThrow(/has been aborted/);
    });
  });
  expect(await names(mongod.uri)).toEqual(['c']);
  // By default, mongod lets the write wait for 60 to 90 s.
}, 50_000);

test('its data outlives a stop, a kill and a change of port', async () => {
  const data = await temporaryFolder();
  const first = await start(data);
  await insert(first.uri, 'before the stop');
  await first.stop();
  const second = await start(data);
  await insert(second.uri, 'before the kill');
  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  const third = await start(data, await freePort());
  expect(await names(third.uri)).toEqual(['before the kill', 'before the stop']);
});

test('a port in use is refused before anything is started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(start(await temporaryFolder(), port)).rejects.toThrow(`port ${String(port)} is in use`);
});

test('a second server on the same data is refused in mongod’s own words', async () => {
  const data = await temporaryFolder();
  await start(data);
  await expect(start(data)).rejects.toThrow(/mongod ended \(code 100\): .*another mongod/i);
});

test('an aborted start leaves no process', async () => {
  const data = await temporaryFolder();
  const controller = new AbortController();
  const starting = startMongod({ dataDirectory: data, signal: controller.signal });
  controller.abort();
  await expect(starting).rejects.toThrow('aborted');
  // The lock on the data is free again.
  await expect(start(data)).resolves.toBeDefined();
});
