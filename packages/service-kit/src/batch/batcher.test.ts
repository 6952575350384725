import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';
import type { BatchLimits, ItemResult } from './batcher.ts';

const LIMITS: BatchLimits = {
  itemsPerBatch: 100,
  bytesPerBatch: 1_000,
  waitingItems: 200,
  waitingBytes: 2_000,
  batches: 2,
  slowMs: 100,
};

/** A batcher whose batches end when the test says so; each item's result is twice the item. */
function world(limits: Partial<BatchLimits> = {}) {
  const batches: { readonly items: readonly number[]; end: (error?: Error) => void }[] = [];
  const time = { ms: 0 };
  const rests: { readonly delayMs: number; readonly run: () => void }[] = [];
  const batcher = createBatcher<number, number>({
    process: (items) =>
      new Promise((resolve, reject) => {
        const results = items.map((item): ItemResult<number> =>
          item < 0
            ? { status: 'failed', error: new Error(`no ${item}`) }
            : { status: 'done', value: 2 * item },
        );
        batches.push({ items, end: (error) => (error ? reject(error) : resolve(results)) });
      }),
    limits: { ...LIMITS, ...limits },
    now: () => time.ms,
    timers: {
      after(delayMs, run) {
        rests.push({ delayMs, run });
        return { cancel: () => undefined };
      },
    },
  });
  return { batcher, batches, time, rests, sent: () => batches.map(({ items }) => items) };
}

/** A batch of one item in progress. */
async function startItem(batcher: { add(item: number, o?: object): Promise<number> }, item: number, o = {}) {
  const result = batcher.add(item, o);
  result.catch(() => undefined);
  await turn();
  return { result };
}

test('items of one turn go together at its end; so do those that arrive meanwhile, in their order', async () => {
  const { batcher, batches, sent } = world();
  const first = [1, 2].map((item) => batcher.add(item));
  expect(sent()).toEqual([]);
  await turn();
  expect(sent()).toEqual([[1, 2]]);
  const second = [3, 4].map((item) => batcher.add(item));
  await turn();
  expect(sent()).toHaveLength(1);
  batches[0]?.end();
  expect(await Promise.all(first)).toEqual([2, 4]);
  // Adds an item like a caller that waited for that batch.
  second.push(batcher.add(5));
  await turn();
  expect(sent()).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  batches[1]?.end();
  expect(await Promise.all(second)).toEqual([6, 8, 10]);
});

test('an item that fails alone fails alone; a batch that fails, fails all of its items', async () => {
  const { batcher, batches } = world();
  const results = Promise.allSettled([-2, 3].map((item) => batcher.add(item)));
  await turn();
  batches[0]?.end();
  expect(await results).toMatchObject([{ reason: { message: 'no -2' } }, { value: 6 }]);
  const both = Promise.allSettled([4].map((item) => batcher.add(item)));
  await turn();
  batches[1]?.end(new Error('no database'));
  expect(await both).toMatchObject([{ reason: { message: 'no database' } }]);
});

test('batches are bounded in items and bytes; an item above the bound goes alone', async () => {
  const { batcher, batches, sent } = world({ itemsPerBatch: 2, bytesPerBatch: 10, waitingBytes: 100 });
  const { result } = await startItem(batcher, 0);
  const rest = [batcher.add(1), batcher.add(2), batcher.add(3, { bytes: 20 }), batcher.add(4)];
  for (const { end } of batches) {
    end();
    // A batch that ends starts the next one, which this loop then visits as well.
    await turn();
    await turn();
  }
  await Promise.all([result, ...rest]);
  expect(sent()).toEqual([[0], [1, 2], [3], [4]]);
});

test('a full queue refuses what has not begun, and takes what has', async () => {
  const { batcher, batches } = world({ waitingItems: 1, waitingBytes: 10 });
  const first = await startItem(batcher, 1);
  const second = batcher.add(2, { bytes: 10 });
  await expect(batcher.add(3)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  const urgent = batcher.add(4, { bytes: 5, isUrgent: true });
  batches[0]?.end();
  await first.result;
  await turn();
  batches[1]?.end();
  expect(await Promise.all([second, urgent])).toEqual([4, 8]);
});

test('an aborted item leaves the queue; one that is under way is left to itself', async () => {
  const { batcher, batches, sent } = world();
  const [underWay, waiting] = [new AbortController(), new AbortController()];
  const first = await startItem(batcher, 1, { signal: underWay.signal });
  const second = batcher.add(2, { signal: waiting.signal });
  const third = batcher.add(3);
  waiting.abort(new Error('gone'));
  underWay.abort(new Error('also gone'));
  await expect(first.result).rejects.toThrow('also gone');
  await expect(second).rejects.toThrow('gone');
  await expect(batcher.add(4, { signal: waiting.signal })).rejects.toThrow('gone');
  batches[0]?.end();
  await expect.poll(sent).toEqual([[1], [3]]);
  batches[1]?.end();
  expect(await third).toBe(6);
});

test('a batch that hangs holds up the next for a moment only', async () => {
  const { batcher, batches, sent, time } = world();
  await startItem(batcher, 1);
  const second = batcher.add(2);
  await turn();
  expect(sent()).toEqual([[1]]);
  time.ms = 100;
  const third = batcher.add(3);
  await turn();
  expect(sent()).toEqual([[1], [2, 3]]);
  time.ms = 300;
  await startItem(batcher, 4);
  expect(sent()).toHaveLength(2);
  batches[1]?.end();
  expect(await Promise.all([second, third])).toEqual([4, 6]);
});

test('a drain waits for what is under way and what waits', async () => {
  const { batcher, batches } = world();
  await batcher.drain();
  const ends: string[] = [];
  const { result } = await startItem(batcher, 1);
  const [leaving, waiting] = [new AbortController(), batcher.add(2).then(() => ends.push('item'))];
  const drained = batcher.drain().then(() => ends.push('drained'));
  batches[0]?.end();
  await result;
  await turn();
  batches[1]?.end();
  await Promise.all([waiting, drained]);
  expect(ends).toEqual(['item', 'drained']);
  const left = batcher.add(3, { signal: leaving.signal });
  const emptied = batcher.drain();
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await emptied;
});

test('few items do not wait for each other; more than few do', async () => {
  const { batcher, batches, sent } = world({ fewItems: 2, batches: 3 });
  await startItem(batcher, 1);
  await startItem(batcher, 2);
  expect(sent()).toEqual([[1], [2]]);
  await startItem(batcher, 3);
  const last = batcher.add(4);
  batches[0]?.end();
  await turn();
  await turn();
  expect(sent()).toHaveLength(2);
  batches[1]?.end();
  await expect.poll(sent).toEqual([[1], [2], [3, 4]]);
  batches[2]?.end();
  expect(await last).toBe(8);
});

test('after a batch of some size the next one rests, unless it is full or everything is to end', async () => {
  const { batcher, batches, sent, time, rests } = world({
    rest: { ms: 20, afterItems: 2 },
    itemsPerBatch: 3,
  });
  const add = (items: readonly number[]) => Promise.all(items.map((item) => batcher.add(item)));
  const end = async (batch: number): Promise<void> => {
    batches[batch]?.end();
    await turn();
    await turn();
  };
  await startItem(batcher, 1);
  const two = add([2, 3]);
  await end(0);
  expect(sent()).toEqual([[1], [2, 3]]);
  time.ms = 5;
  const rested = add([4, 5]);
  await end(1);
  await two;
  expect(sent()).toHaveLength(2);
  expect(rests.map(({ delayMs }) => delayMs)).toEqual([15]);
  time.ms = 20;
  rests[0]?.run();
  await turn();
  expect(sent().at(-1)).toEqual([4, 5]);
  await end(2);
  await rested;
  const full = add([6, 7, 8]);
  await turn();
  expect(sent().at(-1)).toEqual([6, 7, 8]);
  await end(3);
  await full;
  const left = batcher.add(9);
  await turn();
  expect(sent()).toHaveLength(4);
  const drained = batcher.drain();
  await turn();
  expect(sent().at(-1)).toEqual([9]);
  await end(4);
  await Promise.all([left, drained]);
});

test.each([
  { took: 2, delayMs: 2 },
  { took: 6, delayMs: 4 },
])('a rest after a batch that took $took ms lasts no longer than it took', async ({ took, delayMs }) => {
  const { batcher, batches, sent, time, rests } = world({ rest: { ms: 10, afterItems: 2, timesTaken: 2 } });
  const two = [1, 2].map((item) => batcher.add(item));
  await turn();
  void batcher.add(3);
  time.ms += took;
  batches[0]?.end();
  await Promise.all(two);
  await turn();
  expect(rests).toMatchObject([{ delayMs }]);
  time.ms += delayMs;
  rests[0]?.run();
  await turn();
  expect(sent()).toEqual([[1, 2], [3]]);
});
