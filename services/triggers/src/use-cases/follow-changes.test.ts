import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ChangePage } from '../ports/changes.ts';
import { sourceOf } from '../testing/changes.ts';
import { followChanges } from './follow-changes.ts';

async function follow(
  pages: Readonly<Record<string, ChangePage<string>>>,
  stored?: string,
  { lasts = 10, isCursorDue = false } = {},
) {
  const applied: unknown[] = [];
  let asked = 0;
  const deps = {
    mayContinue: () => Promise.resolve((asked += 1) <= lasts),
    changes: { cursor: () => Promise.resolve(stored) },
    isCursorDue: () => isCursorDue,
  };
  await followChanges(deps, sourceOf(pages), testContext(), (page, cursor) => {
    applied.push([...page, cursor]);
    return Promise.resolve();
  });
  return applied;
}

const page = (nextCursor: string, hasMore = false): ChangePage<string> => ({
  changes: [`before ${nextCursor}`],
  nextCursor,
  hasMore,
});

test('pages are applied in their order, from the stored cursor to the last one', async () => {
  expect(await follow({ '': page('c1', true), c1: page('c2') })).toEqual([
    ['before c1', 'c1'],
    ['before c2', 'c2'],
  ]);
  expect(await follow({ c1: page('c2') }, 'c1')).toEqual([['before c2', 'c2']]);
});

test('a cursor that is too old is dropped, but not because of an error of another kind', async () => {
  expect(await follow({ '': page('c1') }, 'old')).toEqual([['before c1', 'c1']]);
  const away = { name: 'peer', read: () => Promise.reject(new ApiError('UNAVAILABLE', 'away')) };
  const deps = {
    mayContinue: () => Promise.resolve(true),
    changes: { cursor: () => Promise.resolve('c1') },
    isCursorDue: () => false,
  };
  const following = followChanges(deps, away, testContext(), () => Promise.resolve());
  await expect(following).rejects.toThrow('away');
});

test('nothing more is read on a replica that may not continue', async () => {
  expect(await follow({ '': page('c1', true) }, undefined, { lasts: 1 })).toEqual([['before c1', 'c1']]);
});

test('a page without changes moves the cursor only when that is due', async () => {
  const pages = { c1: { changes: [], nextCursor: 'c2', hasMore: false } };
  expect(await follow(pages, 'c1')).toEqual([]);
  expect(await follow(pages, 'c1', { isCursorDue: true })).toEqual([['c2']]);
});
