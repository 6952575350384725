import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { itemPage } from './item-page.ts';

const items = (count: number, size = 1): readonly LazyJson[] =>
  Array.from({ length: count }, (_item, at) => LazyJson.of(String(at).padEnd(size)));

function everyPage(list: readonly LazyJson[]): readonly (readonly LazyJson[])[] {
  const pages: (readonly LazyJson[])[] = [];
  let cursor: string | undefined;
  do {
    const page = itemPage(list, cursor);
    pages.push(page?.items ?? []);
    cursor = page?.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

test('pages of 100 items are the whole list', () => {
  const list = items(250);
  const pages = everyPage(list);
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(pages.flat()).toEqual(list);
  expect(everyPage([])).toEqual([[]]);
  expect(everyPage(items(100))).toHaveLength(1);
});

test('a page has at most 1 MiB, but one item at least', () => {
  expect(everyPage(items(5, 600 * 1024)).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  expect(everyPage(items(4, 400 * 1024)).map(({ length }) => length)).toEqual([2, 2]);
});

test.each(['', 'x', 'MA', 'LTE', 'MTAw=', Buffer.from('99999999').toString('base64url')])(
  'the cursor %j is none',
  (cursor) => {
    expect(itemPage(items(200), cursor)).toBeUndefined();
  },
);

test('a cursor behind the end of a list that became shorter is its last page', () => {
  expect(itemPage(items(5), Buffer.from('100').toString('base64url'))).toEqual({
    items: [],
    nextCursor: undefined,
  });
});
