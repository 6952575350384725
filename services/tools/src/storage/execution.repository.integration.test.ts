import type { JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { FROM_REST } from '../domain/call-origin.ts';
import { keptFrom, UNSETTLED_OUTCOME } from '../domain/execution.ts';
import type { ExecutionFilter, ExecutionRecord } from '../domain/execution.ts';
import { createHistoryIds, firstIdOf } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { historyCollections, historyStorage, loadExecutions } from '../testing/history-storage.ts';
import { executionCollection } from './execution.collection.ts';
import { idRangeOf, selectRows } from './execution-selection.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const ctx = testContext();
const everything = { offset: 0, top: 100 };

let store: MongoStore & { drop(): Promise<void> };
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), historyCollections);
});
afterAll(() => store.drop());

/** The history in which a new account reads. */
function history(ids: HistoryIds = createHistoryIds(Math.random)) {
  const clock = new ManualClock(NOW);
  const accountId = `acc_${(accounts += 1)}`;
  const repository = historyStorage({ store, ids, clock }).repository;
  return {
    clock,
    accountId,
    repository,
    insert: (o: Partial<RecordOptions> = {}) => repository.insert(ctx, accountId, record(o), true),
    list: async (filter: ExecutionFilter = {}, page = everything, after?: number) =>
      repository.list(ctx, accountId, {
        filter: { ...filter, from: keptFrom(filter.from, clock.now()) },
        page,
        after,
      }),
  };
}

interface RecordOptions {
  toolSlug: string;
  connectionId: number;
  isSuccess: boolean;
  fields: ExecutionRecord['fields'];
}

function record(o: Partial<RecordOptions> = {}): ExecutionRecord {
  return {
    fields: o.fields ?? { name: 'Ada' },
    outcome:
      (o.isSuccess ?? true)
        ? { isSuccess: true, output: { id: 1 } }
        : { isSuccess: false, errorMessage: 'No.' },
    info: {
      startedAt: NOW,
      durationMs: 12,
      connectionId: o.connectionId ?? 1,
      connectionResolution: 'default',
      applicationSlug: 'crm',
      toolSlug: o.toolSlug ?? 'crm-whoami',
      toolVersion: '1.0.0',
      attempts: 1,
      userId: 'usr_1',
      ...FROM_REST,
    },
    outputMismatch: [],
  };
}

test('a row is read as it was written, whatever the names and depth of its fields', async () => {
  const { insert, repository, accountId } = history();
  const deep = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`) as JsonObject;
  const fields = { $set: 1, 'a.b': { $gt: '' }, 'nul\0': '\0', '': [null, 1.5], deep };
  const historyId = await insert({ fields });
  const { info } = record();
  expect(await repository.find(ctx, accountId, { historyId, since: NOW })).toEqual({
    historyId,
    fields: LazyJson.of(fields),
    outcome: { isSuccess: true, output: LazyJson.of({ id: 1 }) },
    info,
    createdAt: NOW,
    updatedAt: NOW,
  });
});

test.each(['insert', 'begin'] as const)(
  'a row says who called and through which MCP server, also when its call has ended (%s)',
  async (how) => {
    const { repository, accountId } = history();
    const origin = { userId: null, source: 'mcp', mcpServerName: 'Support' } as const;
    const through = { ...record(), info: { ...record().info, ...origin } };
    const begun = await repository[how](ctx, accountId, { ...through, outcome: UNSETTLED_OUTCOME }, false);
    const historyId = await repository.settle(accountId, begun, through);
    const found = await repository.find(ctx, accountId, { historyId, since: NOW });
    expect(found?.info).toEqual(through.info);
  },
);

test('a row of an earlier release came over REST, by a user whom nobody knows', async () => {
  const { repository, accountId } = history();
  const period = { from: NOW, to: new Date(NOW.getTime() + MINUTE) };
  const row = { toolSlug: 'crm-whoami', connectionId: 1, isSuccess: true };
  const [historyId = 0] = await loadExecutions(store, accountId, { count: 1, ...period }, () => row);
  const found = await repository.find(ctx, accountId, { historyId, since: NOW });
  expect(found?.info).toMatchObject({ userId: null, source: 'rest', mcpServerName: null });
});

test.each(['insert', 'begin'] as const)(
  'a row is completed once its outcome is known, and until then says that it is unknown (%s)',
  async (how) => {
    const { repository, accountId, clock } = history();
    const begun = { ...record(), outcome: UNSETTLED_OUTCOME };
    const historyId = await repository[how](ctx, accountId, begun, false);
    expect(await repository.find(ctx, accountId, { historyId, since: NOW })).toMatchObject({
      outcome: UNSETTLED_OUTCOME,
    });
    clock.advance(MINUTE);
    await repository.settle(accountId, historyId, record());
    expect(await repository.find(ctx, accountId, { historyId, since: NOW })).toMatchObject({
      outcome: { isSuccess: true, output: LazyJson.of({ id: 1 }) },
      createdAt: NOW,
      updatedAt: clock.now(),
    });
  },
);

test('a row whose call was refused is removed', async () => {
  const { repository, accountId, insert, list } = history();
  const [historyId, other] = [await insert(), await insert()];
  await repository.remove(accountId, historyId);
  expect((await list()).items).toMatchObject([{ historyId: other }]);
});

test('a row of another account is neither found, settled, removed nor listed', async () => {
  const mine = history();
  const other = history();
  const historyId = await mine.insert();
  expect(await other.repository.find(ctx, other.accountId, { historyId, since: NOW })).toBeUndefined();
  await expect(other.repository.settle(other.accountId, historyId, record())).rejects.toThrow('no row');
  await other.repository.remove(other.accountId, historyId);
  expect((await mine.list()).totalCount).toBe(1);
  expect(await other.list()).toEqual({ items: [], totalCount: 0 });
});

test('the list is newest first, then by id, and pages count all matches', async () => {
  const { insert, list, clock } = history();
  const ids: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    if (index > 2) clock.advance(1);
    ids.unshift(await insert());
  }
  expect((await list()).items.map(({ historyId }) => historyId)).toEqual(ids);
  const page = await list({}, { offset: 1, top: 2 });
  expect(page.items.map(({ historyId }) => historyId)).toEqual(ids.slice(1, 3));
  expect(page.totalCount).toBe(5);
});

test('after a row, only older rows are listed and counted', async () => {
  const { insert, list, clock } = history();
  const ids: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    ids.unshift(await insert({ toolSlug: index % 2 === 0 ? 'even' : 'odd' }));
    clock.advance(1);
  }
  const listed = async (...query: Parameters<typeof list>) => {
    const { items, totalCount } = await list(...query);
    return [items.map(({ historyId }) => historyId), totalCount];
  };
  const top = { offset: 0, top: 2 };
  expect(await listed({}, top, ids[1])).toEqual([ids.slice(2, 4), 4]);
  expect(await listed({}, { offset: 2, top: 2 }, ids[1])).toEqual([ids.slice(4), 4]);
  expect(await listed({}, top, ids[5])).toEqual([[], 0]);
  expect(await listed({ toolSlug: 'even' }, top, ids[0])).toEqual([[ids[1], ids[3]], 3]);
  expect(await listed({ to: new Date(NOW.getTime() + 1) }, top, ids[0])).toEqual([[ids[5]], 1]);
});

test('a row is created at the time that its id says, also when the clock steps back', async () => {
  const { insert, list, clock, repository, accountId } = history();
  const first = await insert();
  clock.advance(-MINUTE);
  const second = await insert();
  expect((await list()).items.map(({ historyId }) => historyId)).toEqual([second, first]);
  const row = await repository.find(ctx, accountId, { historyId: second, since: new Date(0) });
  expect(row?.createdAt).toEqual(NOW);
  expect((await list({ from: NOW })).totalCount).toBe(2);
  expect((await list({ to: NOW })).totalCount).toBe(0);
});

test('a row exists for its own account only, and until it is past its retention', async () => {
  const { insert, repository, accountId } = history();
  const historyId = await insert();
  expect(await repository.has(ctx, accountId, { historyId, since: NOW })).toBe(true);
  expect(await repository.has(ctx, accountId, { historyId, since: new Date(NOW.getTime() + 1) })).toBe(false);
  expect(await repository.has(ctx, history().accountId, { historyId, since: NOW })).toBe(false);
});

test('filters are combined; from is inclusive, to is exclusive', async () => {
  const { insert, list, clock } = history();
  const first = await insert({ toolSlug: 'a', connectionId: 1 });
  clock.advance(MINUTE);
  const second = await insert({ toolSlug: 'a', connectionId: 2, isSuccess: false });
  clock.advance(MINUTE);
  const third = await insert({ toolSlug: 'b', connectionId: 2 });
  const found = async (filter: ExecutionFilter) =>
    (await list(filter)).items.map(({ historyId }) => historyId);
  expect(await found({ toolSlug: 'a' })).toEqual([second, first]);
  expect(await found({ connectionId: 2 })).toEqual([third, second]);
  expect(await found({ isSuccess: false })).toEqual([second]);
  expect(await found({ toolSlug: 'a', connectionId: 2, isSuccess: true })).toEqual([]);
  expect(await found({ from: new Date(NOW.getTime() + MINUTE) })).toEqual([third, second]);
  expect(await found({ to: new Date(NOW.getTime() + MINUTE) })).toEqual([first]);
  expect(await found({ from: new Date(NOW.getTime() + MINUTE), to: NOW })).toEqual([]);
});

test('[completion.applications-and-tools.58] a row older than 90 days is not returned, removed or not, even if from includes it', async () => {
  const { insert, list, repository, accountId, clock } = history();
  const historyId = await insert();
  clock.advance(90 * 24 * 60 * MINUTE);
  expect((await list()).totalCount).toBe(1);
  clock.advance(1);
  expect((await list({ from: new Date(0) })).totalCount).toBe(0);
  expect(
    await repository.find(ctx, accountId, { historyId, since: keptFrom(undefined, clock.now()) }),
  ).toBeUndefined();
});

test('replicas that generate the same ids at once store every row, each under its own id', async () => {
  const replicas = Array.from({ length: 8 }, () => history(createHistoryIds(() => 0.5)));
  const ids = (
    await Promise.all(replicas.map(async ({ insert }) => [await insert(), await insert(), await insert()]))
  ).flat();
  expect(new Set(ids).size).toBe(24);
});

test('indexes are as declared, and remove rows after 90 days', async () => {
  const indexes = await store.collection(executionCollection).indexes();
  expect(indexes.map(({ name, key, expireAfterSeconds }) => ({ name, key, expireAfterSeconds }))).toEqual([
    { name: '_id_', key: { _id: 1 }, expireAfterSeconds: undefined },
    ...executionCollection.indexes.map(({ name, key, expireAfterSeconds }) => ({
      name,
      key,
      expireAfterSeconds,
    })),
  ]);
  expect(indexes.find(({ name }) => name === 'retention')?.expireAfterSeconds).toBe(7_776_000);
});

const PERIOD = { from: NOW, to: new Date(NOW.getTime() + MINUTE) };
const FILTERS: [string, ExecutionFilter][] = [
  ['nothing', {}],
  ['the tool', { toolSlug: 'a' }],
  ['the connection', { connectionId: 1 }],
  ['success', { isSuccess: true }],
  ['the tool and the connection', { toolSlug: 'a', connectionId: 1 }],
  ['the tool and success', { toolSlug: 'a', isSuccess: true }],
  ['the connection and success', { connectionId: 1, isSuccess: false }],
  ['the tool, the connection and success', { toolSlug: 'a', connectionId: 1, isSuccess: true }],
];

describe.each(FILTERS)('a list filtered by %s', (_name, filter) => {
  let one: ReturnType<typeof history>;
  let after: number;
  beforeAll(async () => {
    one = history();
    // One in eight rows matches all filters; there are more rows than fit into a page.
    const rows = Array.from({ length: 160 }, (_, index) => ({
      toolSlug: index & 1 ? 'a' : 'b',
      connectionId: index & 2 ? 1 : 2,
      isSuccess: (index & 4) > 0,
    }));
    for (const row of rows) {
      await one.insert(row);
      one.clock.advance(100);
    }
    after = firstIdOf(new Date(NOW.getTime() + 8_000));
  });

  test.each<[string, ExecutionFilter, boolean]>([
    ['', {}, false],
    [' and time', PERIOD, false],
    [' after a row', {}, true],
    [' and time after a row', PERIOD, true],
  ])('%s reads the keys of a page in order, and the rows of the page', async (_also, also, isAfter) => {
    const from = keptFrom(also.from, NOW);
    const range = idRangeOf({ from, to: also.to });
    const { query, hint } = selectRows(one.accountId, filter, isAfter ? { ...range, to: after } : range);
    const plan = await store
      .collection(executionCollection)
      .find(query, { hint })
      .sort({ _id: -1 })
      .limit(5)
      .explain('executionStats');
    const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
    expect(stages).toContain('"IXSCAN"');
    expect(stages).not.toMatch(/COLLSCAN|"SORT"/);
    const statistics = plan['executionStats'] as { nReturned: number; totalKeysExamined: number };
    expect(statistics).toMatchObject({ nReturned: 5, totalDocsExamined: 5 });
    // One more for each merged value of isSuccess.
    expect(statistics.totalKeysExamined).toBeLessThanOrEqual(7);
  });
});

test('rows are counted by UTC day, from inclusive, to exclusive', async () => {
  const { insert, repository, accountId, clock } = history();
  clock.advance(13 * 60 * MINUTE + 59 * MINUTE + 59_999);
  await insert();
  clock.advance(1);
  await insert();
  await insert();
  const count = async (from: Date, to: Date) =>
    (await repository.countByDay(ctx, accountId, { from, to })).toSorted((a, b) =>
      a.date.localeCompare(b.date),
    );
  const midnight = new Date('2026-11-22T00:00:00.000Z');
  const end = new Date('2026-11-23T00:00:00.000Z');
  expect(await count(NOW, end)).toEqual([
    { date: '2026-11-21', executionCount: 1 },
    { date: '2026-11-22', executionCount: 2 },
  ]);
  expect(await count(midnight, end)).toEqual([{ date: '2026-11-22', executionCount: 2 }]);
  expect(await count(NOW, midnight)).toEqual([{ date: '2026-11-21', executionCount: 1 }]);
});

test('rows are counted from the keys of an index, without reading a document', async () => {
  const { repository, accountId, insert } = history();
  await insert();
  await store.db.command({ profile: 2 });
  await repository.countByDay(ctx, accountId, { from: NOW, to: new Date(NOW.getTime() + MINUTE) });
  await store.db.command({ profile: 0 });
  const [entry] = await store.db
    .collection<{ keysExamined: number; docsExamined: number; planSummary: string }>('system.profile')
    .find({
      'command.aggregate': executionCollection.name,
      'command.pipeline.1.$group.executionCount.$sum': 1,
    })
    .toArray();
  expect(entry).toMatchObject({
    docsExamined: 0,
    keysExamined: 1,
    planSummary: 'IXSCAN { accountId: 1, isSuccess: 1, _id: -1 }',
  });
});
