import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { APPLICATION_KINDS } from '@fairlead/connector-model/enumerations';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import { testContext } from '@fairlead/service-kit/testing/context';
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Connection, Licence, ConnectionView } from '../domain/connection.ts';
import { CONNECTION_STATUSES, statusOf } from '../domain/connection.ts';
import type { ConnectionFilter, ConnectionStore } from '../ports/connection-store.ts';
import { details, newConnection, newCredential } from '../testing/builders.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { loadConnections, openConnectionStorage } from '../testing/connection-storage.ts';
import { connectionCountCollection } from './connection-count.collection.ts';
import { countFromTheFirst, countThoseOfEarlierReleases } from './connection-count.migrations.ts';
import { createConnectionCounts } from './connection-counts.ts';
import { createConnectionList } from './connection-list.ts';
import { toConnection } from './connection-mapping.ts';
import { connectionCollection } from './connection.collection.ts';

const ctx = testContext();
const start = new Date();
const later = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000);
let storage: ConnectionStorage;
let accounts = 0;
const newAccount = (): string => `acc_${(accounts += 1)}`;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});

afterAll(() => storage.store.drop());

const everything = { kinds: [], applicationSlug: undefined, status: undefined, offset: 0, top: 100 } as const;

const storedOf = async ({ store }: ConnectionStorage, accountId: string): Promise<Connection[]> =>
  (await store.collection(connectionCollection).find({ accountId }).toArray()).map(toConnection);

/** The expected page, by definition: filters all connections, newest first. */
function definedPage(
  all: readonly Connection[],
  filter: ConnectionFilter,
  now: Date,
): { ids: number[]; totalCount: number } {
  const matching = all
    .filter(({ kind }) => filter.kinds.length === 0 || filter.kinds.includes(kind))
    .filter(({ applicationSlug }) => (filter.applicationSlug ?? applicationSlug) === applicationSlug)
    .filter((each) => filter.status === undefined || statusOf(each, now) === filter.status)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const page = matching.slice(filter.offset, filter.offset + filter.top);
  return { ids: page.map(({ id }) => id), totalCount: matching.length };
}

const shown = ({ items, totalCount }: CountedPage<ConnectionView>) => ({
  ids: items.map(({ id }) => id),
  totalCount,
});

const pagesByStatus = (list: ConnectionStore['list'], accountId: string, now: Date) =>
  Promise.all(
    CONNECTION_STATUSES.map(async (status) =>
      shown(await list(ctx, accountId, { ...everything, status }, now)),
    ),
  );

const KIND_FILTERS: readonly (readonly ApplicationKind[])[] = [
  [],
  ['Regular', 'Key'],
  ...APPLICATION_KINDS.map((kind) => [kind]),
];

/** Every combination of filters. */
const filters = (applications: readonly string[]): ConnectionFilter[] =>
  KIND_FILTERS.flatMap((kinds) =>
    [undefined, ...applications].flatMap((applicationSlug) =>
      [undefined, ...CONNECTION_STATUSES].map((status) => ({
        ...everything,
        kinds,
        applicationSlug,
        status,
      })),
    ),
  );

const APPLICATIONS: Readonly<Record<string, ApplicationKind>> = { crm: 'Regular', erp: 'Key', desk: 'Key' };

async function insert(
  { connections }: ConnectionStorage,
  accountId: string,
  o: {
    readonly applicationSlug?: string;
    readonly kind?: ApplicationKind;
    readonly licence?: Licence;
    readonly at?: Date;
  } = {},
): Promise<number> {
  const id = await connections.nextId();
  const kind = o.kind ?? APPLICATIONS[o.applicationSlug ?? 'crm'] ?? 'Regular';
  const applicationSlug = kind === 'MCPClient' ? `mcp-${id}` : (o.applicationSlug ?? 'crm');
  const licence = o.licence ?? { status: 'active', expiresAt: null };
  const createdAt = o.at ?? start;
  await connections.insert(
    ctx,
    accountId,
    newConnection({ id, accountId, applicationSlug, kind, licence, createdAt }),
  );
  return id;
}

/** One random write. `which` selects one of the connections created before. */
const write = oneof(
  record({
    do: constant('create' as const),
    application: constantFrom('crm', 'erp', 'desk', 'mcp'),
    status: constantFrom('active' as const, 'none' as const),
  }),
  record({
    do: constantFrom('delete' as const, 'refuse' as const, 'replace' as const),
    which: nat(),
  }),
  record({
    do: constant('licence' as const),
    which: nat(),
    status: constantFrom('active' as const, 'none' as const, 'expired' as const),
    expiresIn: option(integer({ min: -5, max: 60 })),
  }),
  record({ do: constant('wait' as const), seconds: integer({ min: 1, max: 30 }) }),
  record({ do: constant('list' as const), status: constantFrom(...CONNECTION_STATUSES) }),
);
type Write = typeof write extends Arbitrary<infer W> ? W : never;

/** An account and a clock that concurrent writes advance. */
function party(of: ConnectionStorage) {
  const accountId = newAccount();
  const ids: number[] = [];
  let seconds = 0;
  const chosen = (which: number): number => ids[which % Math.max(1, ids.length)] ?? 0;
  async function run(w: Write): Promise<void> {
    const now = later(seconds);
    switch (w.do) {
      case 'create': {
        const kind = w.application === 'mcp' ? ('MCPClient' as const) : undefined;
        const licence = { status: w.status, expiresAt: null };
        const o = { applicationSlug: w.application, licence, at: now, ...(kind !== undefined && { kind }) };
        ids.push(await insert(of, accountId, o));
        break;
      }
      case 'delete':
        await of.connections.delete(ctx, accountId, chosen(w.which), now);
        break;
      case 'refuse': {
        const key = { accountId, connectionId: chosen(w.which), owner: String(w.which) };
        const until = later(seconds + 1);
        const found = await of.connections.find(ctx, accountId, key.connectionId);
        await of.credentials.claim(ctx, key, { version: found?.credentialVersion ?? 1, now, until });
        await of.credentials.saveRefusal(ctx, key, { reason: 'no', now });
        break;
      }
      case 'replace': {
        const change = { details: details(), credential: newCredential(), applicationName: undefined, now };
        await of.connections.replace(ctx, accountId, chosen(w.which), change).catch(ignoreMissing);
        break;
      }
      case 'licence': {
        const expiresAt = w.expiresIn === null ? null : later(seconds + w.expiresIn);
        await of.connections.setLicence(
          ctx,
          accountId,
          chosen(w.which),
          { status: w.status, expiresAt },
          now,
        );
        break;
      }
      case 'wait':
        seconds += w.seconds;
        break;
      case 'list':
        await of.connections.list(ctx, accountId, { ...everything, status: w.status }, now);
        break;
    }
  }
  return { accountId, ids, run, now: () => later(seconds) };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')) throw error;
}

async function expectExact(
  of: ConnectionStorage,
  accountId: string,
  now: Date,
  applications: readonly string[],
): Promise<void> {
  const all = await storedOf(of, accountId);
  for (const filter of filters(applications)) {
    const page = await of.connections.list(ctx, accountId, filter, now);
    expect(shown(page), JSON.stringify(filter)).toEqual(definedPage(all, filter, now));
  }
}

describe('a list', () => {
  test('holds and counts exactly what matches, after any concurrent writes and as time passes', async () => {
    const rounds = array(array(write, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });
    await assert(
      asyncProperty(rounds, async (concurrent) => {
        const { accountId, ids, run, now } = party(storage);
        for (const writes of concurrent) await Promise.all(writes.map(run));
        const mcp = `mcp-${ids[0] ?? 0}`;
        // Without counts, as while they are incomplete or too many licences have expired at once.
        const counts = createConnectionCounts(storage.store);
        const read = createConnectionList(storage.store, {
          ...counts,
          areComplete: () => Promise.resolve(false),
        });
        const uncounted = await pagesByStatus(read, accountId, now());
        await expectExact(storage, accountId, now(), ['crm', mcp, 'unknown']);
        expect(await pagesByStatus(createConnectionList(storage.store, counts), accountId, now())).toEqual(
          uncounted,
        );
      }),
      { numRuns: 10 },
    );
  });

  test('is exact where more licences have expired than one list stores', async () => {
    const accountId = newAccount();
    const kinds = ['Regular', 'Key'] as const;
    await insert(storage, accountId);
    await loadConnections(storage.store, accountId, 1_200, (index) => {
      const expiresAt = later(index < 1_100 ? 10 : 20);
      return { licence: { status: 'active', expiresAt }, createdAt: start };
    });
    const at = async (status: (typeof CONNECTION_STATUSES)[number], now: Date): Promise<number> =>
      (await storage.connections.list(ctx, accountId, { ...everything, kinds, status }, now)).totalCount;
    expect(await at('Active', later(9))).toBe(1_201);
    for (let read = 0; read < 4; read += 1) {
      expect(await at('Active', later(10))).toBe(101);
      expect(await at('Blocked', later(10))).toBe(1_100);
    }
    expect(await at('Blocked', later(20))).toBe(1_200);
  });

  test('is in order from either end, at every offset', async () => {
    const accountId = newAccount();
    // Some have the same millisecond of creation.
    await loadConnections(storage.store, accountId, 2_500, (index) => ({
      kind: index % 3 === 0 ? 'Key' : 'Regular',
      createdAt: later(Math.floor(index / 3)),
    }));
    const all = await storedOf(storage, accountId);
    for (const offset of [0, 990, 1_000, 1_249, 1_250, 2_400, 2_490, 2_500, 2_501, 9_000]) {
      for (const kinds of [[], ['Regular', 'Key'], ['Key']] as const) {
        const filter = { ...everything, kinds, offset, top: 30 };
        const page = await storage.connections.list(ctx, accountId, filter, start);
        expect(shown(page)).toEqual(definedPage(all, filter, start));
      }
    }
  });

  test('comes in parts that each have as much as one message takes, also far from the newest and after connections that went', async () => {
    const accountId = newAccount();
    const metadata = LazyJson.of({ text: 'x'.repeat(400 * 1024) });
    // The oldest connections are large.
    await loadConnections(storage.store, accountId, 1_020, (index) => ({
      createdAt: later(-index),
      ...(index >= 1_010 && { metadata }),
    }));
    const counts = createConnectionCounts(storage.store);
    const uncounted = createConnectionList(storage.store, {
      ...counts,
      areComplete: () => Promise.resolve(false),
    });
    const expected = definedPage(
      await storedOf(storage, accountId),
      { ...everything, offset: 1_008, top: 10 },
      start,
    ).ids;
    for (const list of [createConnectionList(storage.store, counts), uncounted]) {
      for (const filter of [{}, { applicationSlug: 'crm', status: 'Active' as const }]) {
        const found: number[] = [];
        let page: Page = { offset: 1_008, top: 10 };
        for (let isFirst = true; ; isFirst = false) {
          const { items, totalCount, next } = await list(
            ctx,
            accountId,
            { ...everything, ...filter, ...page },
            start,
          );
          expect(totalCount).toBe(isFirst ? 1_020 : 0);
          expect(items.length).toBeLessThanOrEqual(isFirst ? 4 : 1);
          found.push(...items.map(({ id }) => id));
          if (next === undefined) break;
          page = { offset: 0, top: page.top - items.length, after: next };
        }
        expect(found).toEqual(expected);
      }
    }
    const of = { ...everything, offset: 1_012, top: 4 };
    const { items, next } = await storage.connections.list(ctx, accountId, of, start);
    const last = items.at(-1)?.id ?? 0;
    await storage.connections.delete(ctx, accountId, last, start);
    const rest = { ...of, offset: 0, top: of.top - items.length, after: next };
    const [following] = (await storage.connections.list(ctx, accountId, rest, start)).items;
    expect(following?.id).toBe(expected[expected.indexOf(last) + 1]);
  });

  test('counts 50 connections that are created at the same time', async () => {
    const accountId = newAccount();
    await Promise.all(Array.from({ length: 50 }, () => insert(storage, accountId)));
    expect((await storage.connections.list(ctx, accountId, everything, start)).totalCount).toBe(50);
    const defaults = await storage.connections.findDefaults(ctx, accountId, ['crm']);
    expect(defaults).toHaveLength(1);
  });
});

describe('the counters', () => {
  const countersOf = (of: ConnectionStorage, accountId: string) =>
    of.store.collection(connectionCountCollection).find({ accountId }).toArray();

  test('of an application go with its last connection, those of an account with its erasure', async () => {
    const accountId = newAccount();
    const first = await insert(storage, accountId, { applicationSlug: 'erp' });
    const second = await insert(storage, accountId, { applicationSlug: 'erp' });
    await insert(storage, accountId, { kind: 'MCPClient' });
    const applications = async () =>
      new Set((await countersOf(storage, accountId)).map((each) => each.applicationSlug));
    expect(await applications()).toEqual(new Set(['erp', null]));
    await storage.connections.delete(ctx, accountId, first, start);
    expect(await applications()).toEqual(new Set(['erp', null]));
    await storage.connections.delete(ctx, accountId, second, start);
    expect(await applications()).toEqual(new Set([null]));
    expect(await storage.erase(accountId)).toBe(true);
    expect(await countersOf(storage, accountId)).toEqual([]);
  });

  test('are not trusted in a database of an earlier release until its connections are counted, which may be repeated', async () => {
    const older = await openConnectionStorage(inject('mongodbUri'), []);
    const accountId = newAccount();
    const documents = older.store.collection(connectionCollection);
    for (let count = 0; count < 5; count += 1) await insert(older, accountId);
    // Documents of an earlier release: neither listed nor counted.
    await documents.updateMany({}, { $unset: { listedStatus: '', blocksAt: '' } });
    await older.store.collection(connectionCountCollection).deleteMany({});
    const [one = 0, two = 0] = (await documents.find().toArray()).map(({ _id }) => _id);
    await documents.updateOne({ _id: one }, { $set: { 'licence.expiresAt': later(3_600) } });
    await countFromTheFirst.up(older.store.db);
    await expectExact(older, accountId, start, ['crm']);
    // Concurrent writes of this release.
    await older.connections.setLicence(ctx, accountId, two, { status: 'none', expiresAt: null }, start);
    await older.connections.delete(ctx, accountId, two, start);
    await insert(older, accountId, { applicationSlug: 'erp' });
    await expectExact(older, accountId, start, ['crm', 'erp']);
    expect(await older.store.collection(connectionCountCollection).countDocuments({ accountId: '' })).toBe(0);
    const counting = Array.from({ length: 20 }, () => insert(older, accountId));
    await countThoseOfEarlierReleases.up(older.store.db);
    await Promise.all(counting);
    await countThoseOfEarlierReleases.up(older.store.db);
    expect(await older.store.collection(connectionCountCollection).countDocuments({ accountId: '' })).toBe(1);
    await expectExact(older, accountId, start, ['crm', 'erp']);
    await expectExact(older, accountId, later(3_600), ['crm', 'erp']);
    await older.store.drop();
  });
});
