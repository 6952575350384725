import { expect, it } from 'vitest';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { grantOf } from '../window-store.ts';
import type { Order, Window, WindowStore } from '../window-store.ts';
import { HOUR_MS } from '../windows.ts';
import { seededRandom } from '@fairlead/service-kit/testing/random';

/** The guarantees of every WindowStore; the model of the limiter relies on the in-memory one. */
export function windowStoreSuite(connect: () => WindowStore): void {
  const newWindow = (members: Partial<Window> = {}): Window => ({
    key: `acc_${randomBase62(12)}`,
    name: 'hourly',
    // Far in the future: MongoDB removes a window once it has ended.
    startsAt: 2_000_000 * HOUR_MS,
    ...members,
  });
  const order = (members: Partial<Order>): Order => ({
    limit: 100,
    returned: 0,
    demand: 0,
    extra: 0,
    ...members,
  });

  it('counts what it grants, and grants what is left', async () => {
    const [store, window] = [connect(), newWindow()];
    expect(await store.fillOrder(window, order({ demand: 60 }))).toEqual({ granted: 60, used: 60 });
    expect(await store.fillOrder(window, order({ demand: 60 }))).toEqual({ granted: 40, used: 100 });
    expect(await store.fillOrder(window, order({ demand: 1 }))).toEqual({ granted: 0, used: 100 });
  });

  it('returns how much is used without taking anything', async () => {
    const [store, window] = [connect(), newWindow()];
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 0 });
    await store.fillOrder(window, order({ demand: 7 }));
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 7 });
  });

  it('never lets calls that may come take the last that calls may need', async () => {
    const [store, window] = [connect(), newWindow()];
    expect(await store.fillOrder(window, order({ demand: 20, extra: 1_000 }))).toEqual({
      granted: 30,
      used: 30,
    });
    for (let i = 0; i < 50; i += 1) await store.fillOrder(window, order({ extra: 1_000 }));
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 93 });
    expect(await store.fillOrder(window, order({ demand: 100 }))).toEqual({ granted: 7, used: 100 });
  });

  it('takes back first what is given back', async () => {
    const [store, window] = [connect(), newWindow()];
    await store.fillOrder(window, order({ demand: 100 }));
    expect(await store.fillOrder(window, order({ returned: 30, demand: 10 }))).toEqual({
      granted: 10,
      used: 80,
    });
    await store.giveBack([{ window, amount: 20 }]);
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 60 });
  });

  it('grants nothing above a limit that was lowered, and more under one that was raised', async () => {
    const [store, window] = [connect(), newWindow()];
    await store.fillOrder(window, order({ demand: 90 }));
    const lowered = order({ limit: 50, returned: 10, demand: 5 });
    expect(await store.fillOrder(window, lowered)).toEqual({ granted: 0, used: 80 });
    expect(await store.fillOrder(window, order({ limit: 200, demand: 500 }))).toEqual({
      granted: 120,
      used: 200,
    });
  });

  it('keeps windows of different keys, limits and hours apart', async () => {
    const [store, window] = [connect(), newWindow()];
    await store.fillOrder(window, order({ demand: 100 }));
    const others = [
      newWindow(),
      { ...window, name: 'searchHourly' },
      { ...window, startsAt: window.startsAt + HOUR_MS },
    ];
    for (const other of others) {
      expect(await store.fillOrder(other, order({ demand: 100 }))).toEqual({ granted: 100, used: 100 });
    }
  });

  it('ignores what is given back to a window that is gone', async () => {
    const [store, window] = [connect(), newWindow()];
    await store.giveBack([{ window, amount: 5 }]);
    await store.giveBack([]);
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 0 });
  });

  it('ignores what is given back to a window that was made anew and has had fewer calls', async () => {
    const [store, window] = [connect(), newWindow()];
    await store.fillOrder(window, order({ demand: 2 }));
    await store.giveBack([{ window, amount: 3 }]);
    expect(await store.fillOrder(window, order({}))).toEqual({ granted: 0, used: 2 });
  });

  it('a window that many make at once is made once, and none gets what another got', async () => {
    const store = connect();
    for (let round = 0; round < 20; round += 1) {
      const window = newWindow();
      const asked = Array.from({ length: 12 }, () => store.fillOrder(window, order({ demand: 10 })));
      const granted = (await Promise.all(asked)).map((grant) => grant.granted);
      expect(granted.toSorted((a, b) => a - b)).toEqual([0, 0, ...Array.from({ length: 10 }, () => 10)]);
    }
  });

  it('works out every order as grantOf does', async () => {
    const [store, window] = [connect(), newWindow()];
    const random = seededRandom(1);
    let used = 0;
    for (let i = 0; i < 150; i += 1) {
      const asked = {
        limit: random.below(300) + 1,
        returned: random.below(Math.max(1, used)),
        demand: random.below(12),
        extra: random.below(40),
      };
      const granted = grantOf(asked.limit - (used - asked.returned), asked);
      used += granted - asked.returned;
      expect(await store.fillOrder(window, asked), JSON.stringify(asked)).toEqual({ granted, used });
    }
  });
}
