import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { seededRandom } from '@fairlead/service-kit/testing/random';
import type { Random } from '@fairlead/service-kit/testing/random';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { keptFrom, UNSETTLED_OUTCOME } from '../domain/execution.ts';
import type { ExecutionFilter, ExecutionRecord } from '../domain/execution.ts';
import { createHistoryIds, firstIdOf, timeOfId } from '../domain/history-id.ts';
import { executionRecord } from '../testing/executions.ts';
import { historyCollections, historyStorage } from '../testing/history-storage.ts';
import { executionIntentCollection } from './execution-intent.collection.ts';
import { executionCheckpointCollection } from './execution-checkpoint.collection.ts';
import { executionCollection } from './execution.collection.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ROWS = 5;
const ctx = testContext();

let store: MongoStore & { drop(): Promise<void> };
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), historyCollections);
});
afterAll(() => store.drop());

interface Row {
  readonly toolSlug: string;
  readonly connectionId: number;
  readonly keyId?: string | undefined;
  isSuccess: boolean;
}

function recordOf({ toolSlug, connectionId, keyId, isSuccess }: Row): ExecutionRecord {
  const { info } = executionRecord();
  return executionRecord({
    info: { ...info, toolSlug, connectionId, keyId },
    outcome: isSuccess ? { isSuccess, output: {} } : { isSuccess, errorMessage: 'No.' },
  });
}

/** An account, its expected rows, and its history in two replicas. */
class World {
  readonly #number = (accounts += 1);
  readonly accountId = `acc_${this.#number}`;
  readonly clock = new ManualClock(NOW);
  readonly rows = new Map<number, Row>();
  /** Rows of running calls, and the replica that runs each if only that may end it. */
  readonly running = new Map<number, { row: Row; by: ReturnType<typeof historyStorage> | undefined }>();
  readonly replicas = [0.2, 0.7].map((start) =>
    historyStorage({
      store,
      // All accounts begin at the same time, so calls need distinct ids.
      ids: createHistoryIds(() => start + this.#number / 50),
      clock: this.clock,
      rowsPerCheckpoint: ROWS,
    }),
  ) as [ReturnType<typeof historyStorage>, ReturnType<typeof historyStorage>];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  async insert(row: Row, isSettled: boolean): Promise<number> {
    const { repository } = this.#random.pick(this.replicas);
    const record = isSettled ? recordOf(row) : { ...recordOf(row), outcome: UNSETTLED_OUTCOME };
    const historyId = await repository.insert(ctx, this.accountId, record, isSettled);
    if (isSettled) this.rows.set(historyId, row);
    else {
      this.running.set(historyId, { row, by: undefined });
      this.rows.set(historyId, { ...row, isSuccess: false });
    }
    return historyId;
  }

  async begin(row: Row): Promise<void> {
    const by = this.#random.pick(this.replicas);
    const record = { ...recordOf(row), outcome: UNSETTLED_OUTCOME };
    const historyId = await by.repository.begin(ctx, this.accountId, record);
    this.running.set(historyId, { row, by });
    this.rows.set(historyId, { ...row, isSuccess: false });
  }

  /** Ends one of the running calls, if any. */
  async end(how: 'settle' | 'remove'): Promise<void> {
    const running = [...this.running];
    const [historyId, call] = running[this.#random.below(running.length)] ?? [];
    if (historyId === undefined || call === undefined) return;
    this.running.delete(historyId);
    const { row, by = this.#random.pick(this.replicas) } = call;
    const { repository } = by;
    if (how === 'remove') {
      await repository.remove(this.accountId, historyId);
      this.rows.delete(historyId);
    } else if (this.rows.has(historyId)) {
      const endedAs = await repository.settle(this.accountId, historyId, recordOf(row));
      if (endedAs !== historyId) throw new Error(`The call ${historyId} ended as ${endedAs}.`);
      this.rows.set(historyId, row);
    }
  }

  async extend(filter: ExecutionFilter): Promise<void> {
    await this.#random.pick(this.replicas).counts.extend(this.accountId, filter);
  }

  /** Removes expired rows, as MongoDB does eventually. */
  async expire(): Promise<void> {
    const since = firstIdOf(keptFrom(undefined, this.clock.now()));
    const { accountId } = this;
    for (const { name } of [executionCollection, executionIntentCollection])
      await store.db.collection<{ _id: number }>(name).deleteMany({ accountId, _id: { $lt: since } });
    await store
      .collection(executionCheckpointCollection)
      .deleteMany({ accountId, createdAt: { $lt: new Date(timeOfId(since).getTime() - DAY) } });
    for (const historyId of this.rows.keys())
      if (historyId < since) {
        this.rows.delete(historyId);
        this.running.delete(historyId);
      }
  }

  /** A page as listed, and as expected. */
  async page(filter: ExecutionFilter, page: { offset: number; top: number }) {
    const asked = { ...filter, from: keptFrom(filter.from, this.clock.now()) };
    const { items, totalCount } = await this.#random
      .pick(this.replicas)
      .repository.list(ctx, this.accountId, { filter: asked, page });
    const expected = [...this.rows]
      .filter(([historyId, row]) => matches(asked, historyId, row))
      .map(([historyId]) => historyId)
      .toSorted((a, b) => b - a);
    return {
      listed: { filter, totalCount, ids: items.map(({ historyId }) => historyId) },
      expected: {
        filter,
        totalCount: expected.length,
        ids: expected.slice(page.offset, page.offset + page.top),
      },
    };
  }

  checkpoints(): Promise<number> {
    return store.collection(executionCheckpointCollection).countDocuments({ accountId: this.accountId });
  }
}

function matches(
  { toolSlug, connectionId, keyId, isSuccess, from, to }: ExecutionFilter,
  historyId: number,
  row: Row,
): boolean {
  const at = timeOfId(historyId);
  return (
    (toolSlug === undefined || toolSlug === row.toolSlug) &&
    (connectionId === undefined || connectionId === row.connectionId) &&
    (keyId === undefined || keyId === row.keyId) &&
    (isSuccess === undefined || isSuccess === row.isSuccess) &&
    (from === undefined || at >= from) &&
    (to === undefined || at < to)
  );
}

function randomRow(random: Random): Row {
  return {
    toolSlug: random.pick(['a', 'b']),
    connectionId: random.pick([1, 2]),
    keyId: random.pick([undefined, 'key_1', 'key_2']),
    isSuccess: random.chance(0.7),
  };
}

function randomFilter(random: Random, now: Date): ExecutionFilter {
  const time = (): Date | undefined =>
    random.chance(0.3) ? new Date(now.getTime() - random.below(60 * MINUTE)) : undefined;
  return {
    toolSlug: random.pick([undefined, 'a', 'b']),
    connectionId: random.pick([undefined, 1, 2]),
    keyId: random.pick([undefined, undefined, 'key_1']),
    isSuccess: random.pick([undefined, true, false]),
    from: time(),
    to: time(),
  };
}

test.each([1, 2, 3, 4, 5, 6])(
  'counts and pages are those of the rows, whatever is written, settled late, removed and counted at once (seed %s)',
  async (seed) => {
    const random = seededRandom(seed);
    const world = new World(random);
    let most = 0;
    for (let step = 0; step < 120; step += 1) {
      await Promise.all(
        Array.from({ length: 1 + random.below(4) }, () => {
          if (random.chance(0.1)) return world.begin(randomRow(random));
          if (random.chance(0.4)) return world.insert(randomRow(random), random.chance(0.8));
          if (random.chance(0.3)) return world.end(random.pick(['settle', 'settle', 'remove']));
          return world.extend(randomFilter(random, world.clock.now()));
        }),
      );
      world.clock.advance(random.pick([1, 100, 5_000, MINUTE, 4 * MINUTE]));
      if (random.chance(0.01)) world.clock.advance(60 * DAY);
      if (random.chance(0.02)) await world.expire();
      const place = { offset: random.chance(0.5) ? 0 : random.below(80), top: 1 + random.below(20) };
      const page = await world.page(randomFilter(random, world.clock.now()), place);
      expect(page.listed).toEqual(page.expected);
      most = Math.max(most, await world.checkpoints());
    }
    expect(most).toBeGreaterThan(10);
  },
  // Hundreds of transactions on a possibly busy machine.
  180_000,
);

describe('with many rows', () => {
  let world: World;
  const rows = 200;
  beforeAll(async () => {
    world = new World(seededRandom(1));
    for (let index = 0; index < rows; index += 1) {
      await world.insert({ toolSlug: 'a', connectionId: 1, isSuccess: index % 10 > 0 }, true);
      world.clock.advance(1_000);
    }
    world.clock.advance(10 * MINUTE);
  });

  /** Database work of `read`. */
  async function profileRead(read: () => Promise<unknown>) {
    await store.db.command({ profile: 2 });
    await read();
    await store.db.command({ profile: 0 });
    const profile = store.db.collection<{
      ns: string;
      keysExamined?: number;
      docsExamined?: number;
      hasSortStage?: boolean;
      planSummary?: string;
    }>('system.profile');
    const done = await profile
      .find({ ns: /\.execution/u, 'command.comment': { $exists: false }, op: { $in: ['query', 'command'] } })
      .toArray();
    await profile.drop();
    return done;
  }

  test('a count that reads many rows asks for checkpoints, and adds none itself', async () => {
    const [{ repository, requested }] = world.replicas;
    const filter = { toolSlug: 'a', isSuccess: true, from: NOW };
    await repository.list(ctx, world.accountId, { filter, page: { offset: 0, top: 1 } });
    expect(requested).toEqual([{ toolSlug: 'a', connectionId: undefined }]);
    expect(await world.checkpoints()).toBe(0);
  });

  test('checkpoints are added some at a time, up to the rows that may still be written', async () => {
    const [{ counts }] = world.replicas;
    const turns: boolean[] = [];
    do turns.push(await counts.extend(world.accountId, {}));
    while (turns.at(-1) === true);
    expect(turns).toEqual([true, true, false]);
    // The rows after the last checkpoint are fewer than a checkpoint's.
    expect(await world.checkpoints()).toBe(rows / ROWS);
    expect(await counts.extend(world.accountId, {})).toBe(false);
  });

  test.each<[string, ExecutionFilter]>([
    ['all', {}],
    ['successes', { isSuccess: true }],
    ['failures', { isSuccess: false }],
  ])('a count of %s reads the keys of two checkpoints and of the rows beyond them', async (_name, filter) => {
    const [{ counts }] = world.replicas;
    const range = { from: firstIdOf(NOW) + 1, to: firstIdOf(world.clock.now()) };
    const done = await profileRead(() => counts.count({}, world.accountId, filter, range));
    expect(done.length).toBeGreaterThanOrEqual(3);
    for (const { keysExamined = 0, docsExamined, planSummary } of done) {
      expect(planSummary).not.toContain('COLLSCAN');
      expect(keysExamined).toBeLessThanOrEqual(2 * ROWS);
      expect(docsExamined).toBe(0);
    }
  });

  test('a page at a far offset reads the keys of few rows', async () => {
    const [{ counts }] = world.replicas;
    const range = { from: firstIdOf(NOW), to: firstIdOf(world.clock.now()) };
    for (const [filter, matching] of [
      [{}, rows],
      [{ isSuccess: true }, rows * 0.9],
      [{ isSuccess: false }, rows * 0.1],
    ] as const) {
      const { rows: counted, seek } = await counts.count({}, world.accountId, filter, range);
      expect(counted).toBe(matching);
      for (const offset of [0, 1, 7, 13, matching / 2, matching - 1]) {
        expect((await seek(offset)).skip).toBeLessThanOrEqual(2 * ROWS);
        const page = await world.page({ ...filter, from: NOW }, { offset, top: 3 });
        expect(page.listed).toEqual(page.expected);
      }
    }
  });

  test('a row that is written long after its id was made is counted', async () => {
    const before = await world.checkpoints();
    const late = historyStorage({
      store,
      // Written by a process that was halted in between.
      ids: { next: () => firstIdOf(NOW) + 500 },
      clock: world.clock,
      rowsPerCheckpoint: ROWS,
    });
    const row = { toolSlug: 'a', connectionId: 1, isSuccess: true };
    const historyId = await late.repository.insert(ctx, world.accountId, recordOf(row), true);
    world.rows.set(historyId, row);
    expect(await world.checkpoints()).toBeLessThan(before);
    const counted = await world.page({}, { offset: 0, top: 1 });
    expect(counted.listed).toEqual(counted.expected);
    expect(await late.counts.extend(world.accountId, {})).toBe(false);
    world.clock.advance(MINUTE);
    while (await late.counts.extend(world.accountId, {}));
    expect(await world.checkpoints()).toBeGreaterThanOrEqual(before);
    const page = await world.page({}, { offset: 0, top: 1 });
    expect(page.listed).toEqual(page.expected);
  });

  test('a call that ends late is counted as it ended, also by checkpoints that are added meanwhile', async () => {
    const [{ counts }, other] = world.replicas;
    const row = { toolSlug: 'b', connectionId: 3, isSuccess: true };
    const historyId = await world.insert(row, false);
    for (let index = 0; index < 4 * ROWS; index += 1) await world.insert({ ...row, isSuccess: false }, true);
    world.clock.advance(10 * MINUTE);
    const counted = [{}, { toolSlug: 'b' }, { connectionId: 3 }];
    for (const of of counted.slice(0, 2)) await counts.extend(world.accountId, of);
    await Promise.all([
      ...counted.map((of) => counts.extend(world.accountId, of)),
      world.end('settle'),
      other.counts.extend(world.accountId, {}),
    ]);
    expect(world.rows.get(historyId)?.isSuccess).toBe(true);
    for (const filter of [
      {},
      { toolSlug: 'b' },
      { isSuccess: true },
      { connectionId: 3, isSuccess: false },
    ]) {
      const page = await world.page(filter, { offset: 0, top: 30 });
      expect(page.listed).toEqual(page.expected);
    }
  });
});

test('days are counted by checkpoints if there are many rows', async () => {
  const world = new World(seededRandom(7));
  const accountId = world.accountId;
  // More than are counted individually.
  const total = 21_000;
  const first = firstIdOf(new Date('2026-11-19T00:00:00.000Z'));
  const step = Math.ceil((2 * firstIdOf(new Date(DAY)) - 2 * firstIdOf(new Date(0))) / total);
  const template = { accountId, toolSlug: 'a', connectionId: 1, isSuccess: true };
  await store.db
    .collection<{ _id: number }>(executionCollection.name)
    .insertMany(Array.from({ length: total }, (_, index) => ({ ...template, _id: first + index * step })));
  const [{ repository, requested }] = world.replicas;
  const period = { from: new Date('2026-11-18T00:00:00.000Z'), to: NOW };
  const expected = [
    { date: '2026-11-19', executionCount: total / 2 },
    { date: '2026-11-20', executionCount: total / 2 },
  ];
  expect(await repository.countByDay(ctx, accountId, period)).toEqual(expected);
  expect(requested).toContainEqual({ toolSlug: undefined, connectionId: undefined });
  const { counts } = historyStorage({ store, ids: createHistoryIds(Math.random), clock: world.clock });
  while (await counts.extend(accountId, {}));
  expect(await world.checkpoints()).toBe(total / 500);
  expect(await repository.countByDay(ctx, accountId, period)).toEqual(expected);
});
