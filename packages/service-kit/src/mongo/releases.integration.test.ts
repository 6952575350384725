import type { Db } from 'mongodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { mongoConfigShape } from '../config.ts';
import { randomBase62 } from '../ids.ts';
import { Secret } from '../secret.ts';
import { captureLog } from '../testing/log-lines.ts';
import { z } from 'zod';
import { runMigrateCommand } from './migrate-command.ts';
import { connectMongo } from './mongo.ts';
import { defineCollection } from './collection.ts';
import type { MongoStore } from './mongo.ts';
import type { DatabaseSchema, Migration } from './schema.ts';

interface Pet {
  readonly _id: number;
  readonly account: string;
  readonly name?: string;
}

const byAccount = { key: { account: 1 }, name: 'byAccount' } as const;
const byName = { key: { name: 1 }, name: 'byName' } as const;

const petsWith = (...indexes: Parameters<typeof defineCollection>[0]['indexes']) =>
  defineCollection<Pet>({ name: 'pets', indexes });

const nameThem: Migration = {
  id: '2026-12-name-them',
  up: async (db) => void (await db.collection('pets').updateMany({}, { $set: { name: 'Rex' } })),
};

const older: DatabaseSchema = { collections: [petsWith(byAccount)] };
const newer: DatabaseSchema = {
  collections: [petsWith(byAccount, byName), defineCollection({ name: 'owners', indexes: [byName] })],
  migrations: [nameThem],
};

const stores: MongoStore[] = [];
afterEach(async () => {
  for (const [index, store] of stores.splice(0).entries()) {
    if (index === 0) await store.db.dropDatabase();
    await store.close();
  }
});

/** One database on which releases are started, like replicas of a service. */
function installation() {
  const database = `test_${randomBase62(16)}`;
  const uri = inject('mongodbUri');
  const { log, lines } = captureLog();
  return {
    lines,
    start: async (schema: DatabaseSchema): Promise<Db> => {
      const store = await connectMongo({ uri: new Secret(uri), database, log, ...schema });
      stores.push(store);
      return store.db;
    },
    contract: (schema: DatabaseSchema, ...options: readonly string[]) => migrate(schema, 'contract', options),
    restored: (schema: DatabaseSchema, ...options: readonly string[]) => migrate(schema, 'restored', options),
  };
  async function migrate(schema: DatabaseSchema, action: string, options: readonly string[]) {
    let text = '';
    const sink = { write: (more: string) => (text += more) };
    const code = await runMigrateCommand({
      service: 'pets',
      config: z.object(mongoConfigShape),
      schema,
      restored: ({ db }) =>
        Promise.resolve([`more of ${db.databaseName === database ? 'pets' : 'another database'}`]),
      process: {
        argv: ['node', 'migrate.ts', action, ...options],
        env: { MONGODB_URI: uri, MONGODB_DATABASE: database },
        stdout: sink,
        stderr: sink,
      },
    });
    return { code, text };
  }
}

async function indexNames(db: Db, collection = 'pets'): Promise<string[]> {
  return (await db.collection(collection).indexes())
    .map(({ name }) => name ?? '')
    .toSorted((a, b) => a.localeCompare(b));
}

describe('a release and the one before it, on one database', () => {
  it('the newer adds what it needs and leaves the older’s', async () => {
    const { start } = installation();
    const db = await start(older);
    await db.collection<Pet>('pets').insertOne({ _id: 1, account: 'a' });
    await start(newer);
    expect(await indexNames(db)).toEqual(['_id_', 'byAccount', 'byName']);
    expect(await indexNames(db, 'owners')).toEqual(['_id_', 'byName']);
    expect(await db.collection('pets').findOne()).toEqual({ _id: 1, account: 'a', name: 'Rex' });
  });

  it('the older, restarted, removes nothing: no index, collection, validator or migration record', async () => {
    const { start, lines } = installation();
    await start(older);
    const db = await start(newer);
    const validator = { name: { $type: 'string' } };
    await db.command({ collMod: 'pets', validator });
    const before = lines().length;
    await start(older);
    expect(await indexNames(db)).toEqual(['_id_', 'byAccount', 'byName']);
    expect(await indexNames(db, 'owners')).toEqual(['_id_', 'byName']);
    const [pets] = await db.listCollections({ name: 'pets' }).toArray();
    expect(pets).toMatchObject({ options: { validator } });
    expect(lines()).toHaveLength(before);
    await db.collection<Pet>('pets').insertOne({ _id: 2, account: 'a', name: 'Tom' });
    await start(newer);
    expect(await db.collection<Pet>('pets').findOne({ _id: 2 })).toMatchObject({ name: 'Tom' });
  });

  it('the older, started first on the database of the newer, gets its own indexes there', async () => {
    const { start } = installation();
    const db = await start({ collections: [petsWith(byName)], migrations: [nameThem] });
    await start(older);
    expect(await indexNames(db)).toEqual(['_id_', 'byAccount', 'byName']);
  });
});

describe('an index that changed under its name', () => {
  const changed: DatabaseSchema = {
    collections: [petsWith({ key: { account: 1, name: 1 }, name: 'byAccount' })],
  };

  it('stops the start, and is left as it is', async () => {
    const { start } = installation();
    const db = await start(older);
    await expect(start(changed)).rejects.toThrow(
      'Collection pets has another index under a declared name: byAccount',
    );
    const [, index] = await db.collection('pets').indexes();
    expect(index).toMatchObject({ name: 'byAccount', key: { account: 1 } });
  });

  it.each([
    ['the order of its fields', [{ key: { a: 1, b: 1 }, name: 'i' }], [{ key: { b: 1, a: 1 }, name: 'i' }]],
    ['that it is unique', [byName], [{ ...byName, unique: true }]],
  ])('is one also where it differs by %s', async (_, before, after) => {
    const { start } = installation();
    await start({ collections: [petsWith(...before)] });
    await expect(start({ collections: [petsWith(...after)] })).rejects.toThrow('under a declared name');
  });

  it('is left alone if a newer release changed it in a migration: the older starts with a warning', async () => {
    const { start, lines } = installation();
    const expiring = (expireAfterSeconds: number) => petsWith({ ...byName, expireAfterSeconds });
    await start({ collections: [expiring(60)] });
    const longer: Migration = {
      id: '2026-12-longer',
      up: async (d) =>
        void (await d.command({ collMod: 'pets', index: { name: 'byName', expireAfterSeconds: 90 } })),
    };
    const db = await start({ collections: [expiring(90)], migrations: [longer] });
    await start({ collections: [expiring(60)] });
    expect(await db.collection('pets').indexes()).toContainEqual(
      expect.objectContaining({ name: 'byName', expireAfterSeconds: 90 }),
    );
    expect(lines().at(-1)).toMatchObject({ msg: 'left indexes that a newer release changed' });
  });

  it('one that is too similar to exist beside another stops the start with a clear message', async () => {
    const { start } = installation();
    await start(older);
    await expect(start({ collections: [petsWith({ ...byAccount, name: 'renamed' })] })).rejects.toThrow(
      'too like a declared one',
    );
  });
});

describe('migrate contract', () => {
  const dropNames: Migration = {
    id: '2027-01-drop-names',
    phase: 'contract',
    up: async (db) => void (await db.collection('pets').updateMany({}, { $unset: { name: 1 } })),
  };
  /** The release after the newer one: it needs neither names nor their index. */
  const last: DatabaseSchema = {
    collections: [
      defineCollection<Pet>({ name: 'pets', indexes: [byAccount], removedIndexes: [byName.name] }),
    ],
    migrations: [nameThem, dropNames],
  };

  it('lists what it would remove without removing it; with --yes it removes it; then nothing is left', async () => {
    const { start, contract } = installation();
    const db = await start(newer);
    await db.collection<Pet>('pets').insertOne({ _id: 1, account: 'a', name: 'Tom' });
    await start(last);
    expect(await db.collection('pets').findOne()).toMatchObject({ name: 'Tom' });

    const plan = await contract(last);
    expect(plan.code).toBe(0);
    expect(plan.text).toMatch(
      /would remove, with --yes\n {2}what migration 2027-01-drop-names removes\n {2}index byName of pets\n$/,
    );
    expect(await indexNames(db)).toContain('byName');
    expect(await db.collection('pets').findOne()).toMatchObject({ name: 'Tom' });

    expect((await contract(last, '--yes')).text).toContain(': removed\n');
    expect(await indexNames(db)).toEqual(['_id_', 'byAccount']);
    expect(await db.collection('pets').findOne()).toEqual({ _id: 1, account: 'a' });

    expect(await contract(last, '--yes')).toMatchObject({
      code: 0,
      text: expect.stringContaining('nothing to remove') as string,
    });
  });

  it('of an older release refuses, because it does not know what the newer one needs', async () => {
    const { start, contract } = installation();
    const db = await start(newer);
    const refused = await contract(older, '--yes');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.text).toContain('does not know: 2026-12-name-them');
    expect(await indexNames(db)).toContain('byName');
  });

  it('of an older release keeps an index that a newer one added without a migration', async () => {
    const { start, contract } = installation();
    await start(older);
    const db = await start({ collections: [petsWith(byAccount, byName)] });
    const { code, text } = await contract(older, '--yes');
    expect(code).toBe(0);
    expect(text).toMatch(
      /: nothing to remove\n {2}keeps index byName of pets: this release does not know it\n$/,
    );
    expect(await indexNames(db)).toEqual(['_id_', 'byAccount', 'byName']);
  });

  it('cannot remove an index that its release declares: the declaration throws', () => {
    expect(() =>
      defineCollection<Pet>({ name: 'pets', indexes: [byName], removedIndexes: [byName.name] }),
    ).toThrow('Collection pets declares the index byName, which it also names as removed.');
  });

  it('of a release that has not been started refuses', async () => {
    const { start, contract } = installation();
    await start(older);
    expect(await contract(newer, '--yes')).toMatchObject({
      code: 1,
      text: expect.stringContaining('Start the release first') as string,
    });
  });

  it.each([[['drop']], [['--force']]])('called with %j it explains itself', async (options) => {
    const { code, text } = await installation().contract(older, ...options);
    expect(code).toBe(1);
    expect(text).toContain('usage: migrate contract [--yes]');
  });
});

describe('migrate restored', () => {
  it('lets every sequence go on far beyond the numbers that were given after the backup', async () => {
    const { start, restored } = installation();
    const db = await start(older);
    const sequences = db.collection<{ _id: string; value: number }>('_sequences');
    await sequences.insertMany([
      { _id: 'changes', value: 40 },
      { _id: 'pets', value: 7 },
    ]);
    const planned = await restored(older);
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.text).toContain('would prepare after a restore, with --yes');
    expect(await sequences.findOne({ _id: 'pets' })).toMatchObject({ value: 7 });
    const done = await restored(older, '--yes');
    expect(done.text).toContain('the sequence pets goes on after 1000007 instead of 7');
    expect(done.text).toContain('more of pets');
    expect(planned.text).not.toContain('more of pets');
    expect(await sequences.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'changes', value: 1_000_040 },
      { _id: 'pets', value: 1_000_007 },
    ]);
  });
});
