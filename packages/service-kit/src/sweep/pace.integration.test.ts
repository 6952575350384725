import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { randomBase62 } from '../ids.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { memoryPace } from '../testing/memory-sweeps.ts';
import { testStore } from '../testing/mongo.ts';
import { createPace, paceCollection } from './pace.ts';
import type { Pace } from './pace.ts';

let store: MongoStore & { drop(): Promise<void> };
const start = Date.now();

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [paceCollection]);
});
afterAll(() => store.drop());

const offsets = (starts: readonly Date[]): number[] => starts.map((at) => at.getTime() - start);

const shared = { perSecond: 10, aheadMs: 1_000 };
const onMongo = (clock: Clock): Pace[] => {
  const name = randomBase62(8);
  return [1, 2, 3].map(() => createPace(store, { ...shared, name, clock }));
};
const inMemory = (clock: Clock): Pace[] => {
  const pace = memoryPace({ ...shared, clock });
  return [pace, pace, pace];
};

describe.each([
  ['in MongoDB', onMongo],
  ['in memory, of models', inMemory],
])('a pace %s', (_name, replicas) => {
  test('starts begin now, an interval apart, and none is taken further ahead than allowed', async () => {
    const clock = new ManualClock(new Date(start));
    const [pace] = replicas(clock) as [Pace];
    expect(offsets(await pace('a', 3))).toEqual([0, 100, 200]);
    expect(offsets(await pace('a', 100))).toEqual([300, 400, 500, 600, 700, 800, 900]);
    expect(await pace('a', 1)).toEqual([]);
    expect(offsets(await pace('b', 1))).toEqual([0]);
    clock.advance(250);
    expect(offsets(await pace('a', 100))).toEqual([1_000, 1_100, 1_200]);
    clock.advance(60_000);
    expect(offsets(await pace('a', 2))).toEqual([60_250, 60_350]);
  });

  test('replicas share a pace: over a minute no second has more than ten starts, and none is lost', async () => {
    const clock = new ManualClock(new Date(start));
    const paces = replicas(clock);
    const taken: number[] = [];
    for (let step = 0; step < 120; step += 1) {
      const starts = await Promise.all(paces.map((pace) => pace('a', 4)));
      taken.push(...starts.flatMap(offsets));
      clock.advance(500);
    }
    taken.sort((a, b) => a - b);
    for (const [index, at] of taken.entries())
      expect((taken[index + 10] ?? Infinity) - at).toBeGreaterThanOrEqual(1_000);
    // 60 s, plus the second of planning ahead.
    expect(taken.length).toBeGreaterThan(590);
  });
});
