import { expect, it } from 'vitest';
import { mergeStreams, pageOfStream, without } from './id-streams.ts';

async function* stream(ids: string, onEnd: () => void = () => undefined): AsyncGenerator<string> {
  try {
    for (const id of ids) yield await Promise.resolve(id);
  } finally {
    onEnd();
  }
}
const descending = (a: string, b: string): boolean => a > b;
const all = async (ids: AsyncIterable<string>): Promise<string> =>
  (await pageOfStream(ids, { offset: 0, top: 100 })).join('');

it.each([
  ['', '', ''],
  ['ca', '', 'ca'],
  ['', 'ca', 'ca'],
  ['fda', 'ecb', 'fedcba'],
  ['fed', 'cba', 'fedcba'],
])('merges %j and %j', async (a, b, expected) => {
  expect(await all(mergeStreams(stream(a), stream(b), descending))).toBe(expected);
});

it.each([
  ['edcba', '', 'edcba'],
  ['edcba', 'db', 'eca'],
  ['eca', 'edcba', ''],
  ['', 'a', ''],
])('takes from %j what is in %j', async (ids, excluded, expected) => {
  expect(await all(without(stream(ids), stream(excluded), descending))).toBe(expected);
});

it('reads a page, and no further', async () => {
  let ended = 0;
  const ids = mergeStreams(
    stream('hfdb', () => (ended += 1)),
    stream('geca', () => (ended += 1)),
    descending,
  );
  expect(await pageOfStream(ids, { offset: 2, top: 3 })).toEqual(['f', 'e', 'd']);
  expect(ended).toBe(2);
  expect(await pageOfStream(stream('cba'), { offset: 2, top: 3 })).toEqual(['a']);
  expect(await pageOfStream(stream('cba'), { offset: 3, top: 3 })).toEqual([]);
});
