import { testContext } from '@fairlead/service-kit/testing/context';
import { beforeEach, expect, test } from 'vitest';
import { createKeptPages } from './kept-pages.ts';
import type { KeptPages } from './kept-pages.ts';

interface Query {
  readonly offset: number;
  readonly search: string;
}

let content = '[1]';
let sent: string[] = [];
let pages: KeptPages<Query>;

beforeEach(() => {
  content = '[1]';
  sent = [];
  pages = createKeptPages<Query>((_ctx, { search, knownDigest }) => {
    const digest = search === '' ? `digest of ${content}` : '';
    const itemsJson = Buffer.from(knownDigest === digest && digest !== '' ? '' : content);
    sent.push(itemsJson.toString());
    return Promise.resolve({ itemsJson, totalCount: 1, digest });
  });
});

const list = async (query: Partial<Query> = {}): Promise<string> =>
  (await pages.list(testContext(), { offset: 0, search: '', ...query })).items.text;

test('a page that did not change is sent by the service once', async () => {
  expect([await list(), await list()]).toEqual(['[1]', '[1]']);
  expect(sent).toEqual(['[1]', '']);
});

test('a page that changed is sent again', async () => {
  await list();
  content = '[2]';
  expect([await list(), await list()]).toEqual(['[2]', '[2]']);
  expect(sent).toEqual(['[1]', '[2]', '']);
});

test('pages of other queries are others, and those without a digest are not kept', async () => {
  await list();
  content = '[2]';
  for (const other of [{ offset: 1 }, { search: 'a' }, { search: 'a' }])
    expect(await list(other)).toBe('[2]');
  expect(sent).toEqual(['[1]', '[2]', '[2]', '[2]']);
});

test('a large page is not kept', async () => {
  content = JSON.stringify(['x'.repeat(1024 * 1024)]);
  expect([await list(), await list()]).toEqual([content, content]);
  expect(sent).toEqual([content, content]);
});
