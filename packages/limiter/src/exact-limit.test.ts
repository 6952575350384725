import { describe, expect, test } from 'vitest';
import { Cluster } from './testing/limiter-cluster.ts';
import { seededRandom } from '@fairlead/service-kit/testing/random';
import { createExactLimit } from './exact-limit.ts';
import type { ExactDecision, ExactLimit } from './exact-limit.ts';
import { HOUR_MS, MINUTE_MS } from './windows.ts';

const KEY = 'acc_1';
const HOUR = 400_000 * HOUR_MS;

/** The same limit per minute on several replicas, over one store. */
function start(o: { replicas?: number; atMs?: number } = {}) {
  const { replicas = 1, atMs = HOUR } = o;
  const cluster = new Cluster({ startMs: atMs, replicas, random: seededRandom(7) });
  const requests: string[] = [];
  const fillOrder = cluster.store.fillOrder.bind(cluster.store);
  cluster.store.fillOrder = (window, order) => {
    requests.push(window.name);
    return fillOrder(window, order);
  };
  const limits = cluster.replicas.map(({ parts }) =>
    createExactLimit({ name: 'rare', windowMs: MINUTE_MS, ...parts }),
  );
  /** The decisions on concurrent calls, one for each of these limits. */
  const take = async (those: readonly ExactLimit[], max = 10): Promise<ExactDecision[]> => {
    const taken = those.map((limit) => limit(KEY, max));
    await cluster.time.runUntil(cluster.time.nowMs + 10);
    return await Promise.all(taken);
  };
  return { cluster, limits, requests, take };
}

const admitted = { outcome: 'admitted', giveBack: expect.any(Function) as () => Promise<void> };

describe('an exact limit', () => {
  test('admits so many calls per minute, then names the seconds until the next; a refusal counts nowhere', async () => {
    const { cluster, limits, requests, take } = start({ atMs: HOUR + 12_000 });
    for (let i = 0; i < 10; i += 1) expect(await take(limits)).toEqual([admitted]);
    expect(requests).toHaveLength(10);
    expect(await take(limits)).toEqual([{ outcome: 'refused', retryAfterSeconds: 48 }]);
    expect(requests).toHaveLength(10);
    await cluster.time.runUntil(HOUR + 59_500);
    for (const _ of [1, 2, 3])
      expect(await take(limits)).toEqual([{ outcome: 'refused', retryAfterSeconds: 1 }]);
    // A full window is requested again after a second.
    expect(requests).toHaveLength(11);
    expect(await take(limits, 11)).toEqual([admitted]);
    await cluster.time.runUntil(HOUR + 60_000);
    expect(await take(limits)).toEqual([admitted]);
  });

  test('admits no call on one replica that another has admitted', async () => {
    const { limits, take } = start({ replicas: 3 });
    const decisions = await take(Array.from({ length: 10 }, () => limits).flat());
    expect(decisions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(10);
  });

  test('admits another call for one that is given back: at once here, a second later on another replica, and never in another minute', async () => {
    const { cluster, limits, take } = start({ replicas: 2 });
    const [here = [], there = []] = limits.map((limit) => [limit]);
    const giveBack = async (decision: ExactDecision | undefined): Promise<void> => {
      const given = decision?.outcome === 'admitted' ? decision.giveBack() : undefined;
      await cluster.time.runUntil(cluster.time.nowMs + 10);
      await given;
    };
    const [first] = await take(here, 1);
    expect((await take([...here, ...there], 1)).map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
    ]);
    await giveBack(first);
    const [second] = await take(here, 1);
    expect(second).toEqual(admitted);
    await giveBack(second);
    await cluster.time.runUntil(cluster.time.nowMs + 1_000);
    const [third] = await take(there, 1);
    expect(third).toEqual(admitted);
    await cluster.time.runUntil(HOUR + MINUTE_MS);
    expect(await take(here, 1)).toEqual([admitted]);
    await giveBack(third);
    expect(await take(there, 1)).toMatchObject([{ outcome: 'refused' }]);
  });

  test('is unavailable while the store is', async () => {
    const { cluster, limits, take } = start();
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'before';
    expect(await take(limits)).toEqual([{ outcome: 'unavailable' }]);
  });
});
