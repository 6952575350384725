import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

/** A lookup whose calls end when the test resolves them. */
function setUp(atMost = 3) {
  const calls: { readonly keys: readonly string[]; end(error?: Error): void }[] = [];
  const find = inBatches(atMost, (keys: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    calls.push({
      keys,
      end: (error) => (error === undefined ? resolve(keys.map((key) => `${key}!`)) : reject(error)),
    });
    return promise;
  });
  return { calls, find, keysOf: () => calls.map(({ keys }) => keys) };
}

test('the first keys are looked up at once, those that arrive meanwhile together', async () => {
  const { calls, find, keysOf } = setUp();
  const found = ['a', 'b', 'c', 'd', 'e', 'f'].map(find);
  expect(keysOf()).toEqual([['a'], ['b']]);
  calls[0]?.end();
  expect(await found[0]).toBe('a!');
  await expect.poll(keysOf).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
  calls[1]?.end();
  await expect.poll(keysOf).toEqual([['a'], ['b'], ['c', 'd', 'e'], ['f']]);
  for (const call of calls) call.end();
  expect(await Promise.all(found)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!', 'f!']);
});

test('a call that fails fails for its keys and for those that wait; later ones are looked up again', async () => {
  const { calls, find, keysOf } = setUp();
  const settled = (key: string) => find(key).catch((error: unknown) => error);
  const found = ['a', 'b', 'c', 'd', 'e', 'f'].map(settled);
  const error = new Error('away');
  calls[0]?.end(error);
  const away = await Promise.all([found[0], ...found.slice(2)]);
  expect(away).toEqual([error, error, error, error, error]);
  const later = settled('g');
  expect(keysOf()).toEqual([['a'], ['b'], ['g']]);
  calls[1]?.end();
  calls[2]?.end();
  expect(await Promise.all([found[1], later])).toEqual(['b!', 'g!']);
});

test('a lookup that returns too few values fails', async () => {
  const find = inBatches(3, () => Promise.resolve([]));
  await expect(find('a')).rejects.toThrow('one value for each key');
});
