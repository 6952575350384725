import { randomBase62 } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import type { MonitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ConnectionReference } from '../ports/credential-store.ts';
import { newConnection, newCredential } from '../testing/builders.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { createConnectionReads } from './connection-reads.ts';
import { connectionCollection } from './connection.collection.ts';

const ctx = testContext();
let storage: ConnectionStorage;
let monitored: MonitoredStore;
let reads: ReturnType<typeof createConnectionReads>;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
  monitored = await monitoredStore(inject('mongodbUri'), storage.store.db.databaseName);
  reads = createConnectionReads(monitored.collection(connectionCollection));
});

afterAll(async () => {
  await monitored.close();
  await storage.store.drop();
});

/** Stores a connection of the account; returns its id. */
async function store(accountId: string, applicationSlug = 'crm'): Promise<number> {
  const id = await storage.connections.nextId();
  const credential = newCredential({ fields: { plain: {}, secret: { apiToken: `token-${id}` } } });
  await storage.connections.insert(
    ctx,
    accountId,
    newConnection({ id, accountId, applicationSlug, endUserId: null, credential }),
  );
  return id;
}

const account = (): string => `acc_${randomBase62(8)}`;

test('many callers at once share few reads, and each gets its own connection, by id or as the default', async () => {
  const [mine, theirs] = [account(), account()];
  const own = [await store(mine), await store(mine), await store(mine, 'erp')];
  const other = await store(theirs);
  const find = (accountId: string, reference: ConnectionReference) =>
    reads.find(ctx, { ...reference, accountId }).then((found) => found?._id);
  monitored.takeSent(connectionCollection.name);
  const wanted = Array.from({ length: 30 }, () => [
    ...own.map((id) => find(mine, { kind: 'id', id })),
    find(theirs, { kind: 'id', id: other }),
    find(mine, { kind: 'id', id: other }),
    find(mine, { kind: 'application', applicationSlug: 'crm' }),
    find(mine, { kind: 'application', applicationSlug: 'erp' }),
    find(theirs, { kind: 'application', applicationSlug: 'crm' }),
    find(theirs, { kind: 'application', applicationSlug: 'erp' }),
  ]).flat();
  const found = await Promise.all(wanted);
  const sent = monitored.takeSent(connectionCollection.name);
  const expected = [...own, other, undefined, own[0], own[2], other, undefined];
  expect(found).toEqual(Array.from({ length: 30 }, () => expected).flat());
  expect(new Set(sent)).toEqual(new Set(['find']));
  // A query has at most 200.
  expect(sent).toHaveLength(2);
});

test('a credential opens from the same read, and a caller who asks after a change gets the changed one', async () => {
  const accountId = account();
  const id = await store(accountId);
  const find = () => storage.credentials.find(ctx, accountId, { kind: 'id', id });
  const opened = await (await find())?.open();
  expect(opened?.credential.secretFields.reveal()).toEqual({ apiToken: `token-${id}` });
  expect(storage.used).toContain(id);
  const reading = find();
  await storage.connections.setLicence(ctx, accountId, id, { status: 'none', expiresAt: null }, new Date());
  expect((await find())?.connection.licence.status).toBe('none');
  await reading;
});

test('a caller who leaves does not wait for the read', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  const leaving = { ...testContext(), signal: gone };
  await expect(storage.credentials.find(leaving, 'acc_1', { kind: 'id', id: 1 })).rejects.toThrow('gone');
});
