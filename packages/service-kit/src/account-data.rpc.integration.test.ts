import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createAccountDataService, eraseDocuments, readNewestFirst } from './account-data.ts';
import type { AccountData } from './account-data.ts';
import { systemClock } from './clock.ts';
import { createLogger } from './telemetry/logger.ts';
import { defineCollection } from './mongo/collection.ts';
import type { MongoStore } from './mongo/mongo.ts';
import { createRpcClient } from './rpc/client.ts';
import { startRpcServer } from './rpc/server.ts';
import { eraseAll, exportAll, platformContext } from './testing/account-data.ts';
import { testContext } from './testing/context.ts';
import { testStore } from './testing/mongo.ts';
import { testPeer } from './testing/peer.ts';
import { testCallerKeys } from './testing/rpc.ts';

interface Pet {
  readonly _id: number;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly name: string;
}

const petCollection = defineCollection<Pet>({
  name: 'pets',
  indexes: [{ key: { accountId: 1, createdAt: -1, _id: -1 } }],
});

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [petCollection]);
});
afterAll(() => store.drop());

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function petData(): AccountData {
  const pets = store.collection(petCollection);
  return {
    exports: [
      { collection: 'toys', async *read() {} },
      {
        collection: 'pets',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(pets, ctx, accountId, after))
            yield { position, record: { id: document._id, name: document.name } };
        },
      },
    ],
    erase: (ctx, accountId) => eraseDocuments(pets, ctx, { accountId }),
  };
}

async function serve(data: AccountData) {
  const server = await startRpcServer({
    name: 'pets',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: createLogger({ service: 'pets', level: 'silent' }),
    clock: systemClock,
    routes: (router) => router.service(AccountDataService, createAccountDataService(data)),
  });
  closers.push(() => server.close());
  const peer = testPeer('pets', server);
  closers.push(() => peer.close());
  return createRpcClient(AccountDataService, { peer, callerKeys: testCallerKeys, clock: systemClock });
}

let accounts = 0;

/** An account with pets, two per millisecond. */
async function accountWith(count: number, name = 'Rex'): Promise<string> {
  const accountId = `acc_${(accounts += 1)}`;
  const documents = Array.from({ length: count }, (_, index) => ({
    _id: accounts * 1_000_000 + index,
    accountId,
    createdAt: new Date(1_000 + Math.floor(index / 2)),
    name,
  }));
  if (count > 0) await store.collection(petCollection).insertMany(documents);
  return accountId;
}

describe('account data', () => {
  it('is exported page by page, every record once, newest first, including empty kinds', async () => {
    const client = await serve(petData());
    const accountId = await accountWith(2_500);
    await accountWith(3);
    const { toys, pets } = await exportAll(client, accountId);
    expect(toys).toEqual([]);
    const ids = (pets ?? []).map((pet) => (pet as { id: number }).id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(2_500);
  });

  it('is exported in pages that fit a message, however large its records are', async () => {
    const client = await serve(petData());
    const accountId = await accountWith(30, 'x'.repeat(300 * 1024));
    const { records, nextCursor } = await client.exportAccountData(platformContext, {
      accountId,
      cursor: (await client.exportAccountData(platformContext, { accountId })).nextCursor,
    });
    expect(records.length).toBeLessThan(10);
    expect(nextCursor).not.toBe('');
    expect((await exportAll(client, accountId))['pets']).toHaveLength(30);
  });

  it('is erased completely for one account, however much it is, and repeatedly', async () => {
    const client = await serve(petData());
    const [mine, other] = [await accountWith(2_500), await accountWith(2)];
    await eraseAll(client, mine);
    expect(await eraseAll(client, mine)).toBe(1);
    expect((await exportAll(client, mine))['pets']).toEqual([]);
    expect((await exportAll(client, other))['pets']).toHaveLength(2);
  });

  it('is not erased without an account: what concerns none stays', async () => {
    const client = await serve(petData());
    const erased = client.eraseAccountData(platformContext, { accountId: '' });
    await expect(erased).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'accountId' }],
    });
  });

  it('is neither shown to nor erased by a user, even one of that account', async () => {
    const client = await serve(petData());
    const accountId = await accountWith(1);
    const user = testContext({ accountId });
    await expect(client.exportAccountData(user, { accountId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(client.eraseAccountData(user, { accountId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await exportAll(client, accountId))['pets']).toHaveLength(1);
  });

  it('is exported after a cursor to which a newer release added a member', async () => {
    const client = await serve(petData());
    const accountId = await accountWith(2);
    const position = JSON.stringify([Date.now() + 60_000, 1_000_000_000, 'later']);
    const cursor = Buffer.from(JSON.stringify(['pets', position, 'later'])).toString('base64url');
    expect((await client.exportAccountData(platformContext, { accountId, cursor })).records).toHaveLength(2);
  });

  it.each([
    'x',
    'W10',
    Buffer.from('["dogs",null]').toString('base64url'),
    Buffer.from('["pets","x"]').toString('base64url'),
  ])('a cursor that was never given, "%s", is a VALIDATION_ERROR', async (cursor) => {
    const client = await serve(petData());
    const asked = client.exportAccountData(platformContext, { accountId: 'acc_1', cursor });
    await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'cursor' }] });
  });

  it('of a service that exports nothing is one empty page', async () => {
    const client = await serve({ exports: [], erase: () => Promise.resolve(true) });
    expect(await client.exportAccountData(platformContext, { accountId: 'acc_1' })).toMatchObject({
      collection: '',
      records: [],
      nextCursor: '',
    });
  });

  it('is read by an index, after any position', async () => {
    await store.db.command({ profile: 2 });
    const pets = store.collection(petCollection);
    for await (const _ of readNewestFirst(pets, platformContext, 'acc_1', JSON.stringify([1_001, 7]))) break;
    await eraseDocuments(pets, platformContext, { accountId: 'acc_1' });
    await store.db.command({ profile: 0 });
    const entries = await store.db
      .collection<{ planSummary?: string; hasSortStage?: boolean }>('system.profile')
      .find({ ns: `${store.db.databaseName}.pets` })
      .toArray();
    expect(entries.length).toBeGreaterThan(1);
    expect(entries.filter(({ planSummary }) => planSummary === 'COLLSCAN')).toEqual([]);
    expect(entries.filter(({ hasSortStage }) => hasSortStage === true)).toEqual([]);
  });
});
