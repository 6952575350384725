import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { keptFrom } from '../domain/execution.ts';
import type { ExecutionFilter } from '../domain/execution.ts';
import { createHistoryIds } from '../domain/history-id.ts';
import { historyCollections, historyStorage, loadExecutions } from '../testing/history-storage.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const DAY = 24 * 60 * 60_000;
const ROWS = 6_000;
const TOP = 25;
/** Rows that a count reads at each end of its range, and the ends themselves. */
const COUNTED_KEYS = 2 * 500 + 100;
const accountId = 'acc_1';
const ctx = testContext();
const period = { from: new Date(NOW.getTime() - 40 * DAY), to: new Date(NOW.getTime() - DAY) };

let store: MongoStore & { drop(): Promise<void> };
let history: ReturnType<typeof historyStorage>;
let ids: readonly number[];
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), historyCollections);
  history = historyStorage({ store, ids: createHistoryIds(Math.random), clock: new ManualClock(NOW) });
  ids = await loadExecutions(store, accountId, { count: ROWS, ...period }, rowOf);
  for (const toolSlug of [undefined, 'tool-0'])
    for (const connectionId of [undefined, 1])
      for (const keyId of [undefined, 'key_1'])
        while (await history.counts.extend(accountId, { toolSlug, connectionId, keyId }));
});
afterAll(() => store.drop());

function rowOf(index: number) {
  return {
    toolSlug: `tool-${index % 2}`,
    connectionId: 1 + (Math.floor(index / 2) % 2),
    isSuccess: Math.floor(index / 4) % 4 > 0,
    ...(index % 3 === 0 && { keyId: 'key_1' }),
  };
}

/** Every documented filter, every pair of filters, and all together. */
const FILTERS: Readonly<Record<string, ExecutionFilter>> = {
  toolSlug: { toolSlug: 'tool-0' },
  connectionId: { connectionId: 1 },
  keyId: { keyId: 'key_1' },
  isSuccess: { isSuccess: false },
  from: { from: new Date(NOW.getTime() - 30 * DAY) },
  to: { to: new Date(NOW.getTime() - 10 * DAY) },
};
const names = Object.keys(FILTERS);
const combinations = [
  [],
  ...names.map((name) => [name]),
  ...names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other])),
  names,
];

interface ProfileEntry {
  readonly keysExamined: number;
  readonly docsExamined: number;
  readonly planSummary: string;
}

/** The page, and the number of keys its queries examined. */
async function countExamined(filter: ExecutionFilter, after?: number) {
  const profile = store.db.collection<ProfileEntry>('system.profile');
  await profile.drop();
  await store.db.command({ profile: 2 });
  const page = await history.repository.list(ctx, accountId, {
    filter: { ...filter, from: keptFrom(filter.from, NOW) },
    page: { offset: 0, top: TOP },
    after,
  });
  await store.db.command({ profile: 0 });
  const queries = await profile.find({ planSummary: { $exists: true } }).toArray();
  const sum = (of: 'keysExamined' | 'docsExamined') => queries.reduce((all, query) => all + query[of], 0);
  return { page, queries, keys: sum('keysExamined'), documents: sum('docsExamined') };
}

function expected(
  { toolSlug, connectionId, keyId, isSuccess, from, to }: ExecutionFilter,
  after: number | undefined,
) {
  return ids.filter((id, index) => {
    const row = rowOf(index);
    const at = period.from.getTime() + ((period.to.getTime() - period.from.getTime()) * index) / ROWS;
    return (
      (toolSlug ?? row.toolSlug) === row.toolSlug &&
      (connectionId ?? row.connectionId) === row.connectionId &&
      (isSuccess ?? row.isSuccess) === row.isSuccess &&
      (keyId === undefined || keyId === row.keyId) &&
      (from === undefined || at >= from.getTime()) &&
      (to === undefined || at < to.getTime()) &&
      (after === undefined || id < after)
    );
  });
}

it.each(combinations.map((combination) => ({ by: combination.join(' and ') || 'nothing', combination })))(
  'a page by $by, first or after any row, is served by an index and counted by few of its keys',
  async ({ combination }) => {
    const filter = Object.assign({}, ...combination.map((name) => FILTERS[name])) as ExecutionFilter;
    for (const after of [undefined, ids[Math.floor(ROWS / 2)], ids[Math.floor(ROWS / 10)]]) {
      const { page, queries, keys, documents } = await countExamined(filter, after);
      const rows = expected(filter, after);
      expect(page.totalCount).toBe(rows.length);
      expect(page.items.map(({ historyId }) => historyId)).toEqual(rows.toReversed().slice(0, TOP));
      expect(queries.filter(({ planSummary }) => planSummary.includes('COLLSCAN'))).toEqual([]);
      expect(keys).toBeLessThanOrEqual(COUNTED_KEYS + 2 * TOP);
      // The page's own keys, and the checkpoints of its count.
      expect(documents).toBeLessThanOrEqual(TOP + 10);
    }
  },
);
