import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { UpstreamListStore } from '../ports/upstreams.ts';
import { memoryUpstreamLists } from '../testing/memory-upstream-lists.ts';
import { listsJson } from '../testing/upstreams.ts';
import { schema } from './schema.ts';
import { createUpstreamListRepository, MAX_KEPT } from './upstream-lists.repository.ts';

const ctx = testContext();
const AT = new Date('2026-11-29T13:00:00.000Z');
const LATER = new Date('2026-11-29T13:00:01.000Z');

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

const lists = listsJson({
  prompts: [{ name: 'ask' }],
  resources: [{ uri: 'x://1' }],
  templates: [{ uriTemplate: 'x://{id}' }],
});
const others = listsJson({ prompts: [], hasCompletions: false });

describe.each<[string, () => UpstreamListStore]>([
  ['MongoDB', () => createUpstreamListRepository(store)],
  ['memory', memoryUpstreamLists],
])('in %s', (_name, open) => {
  const connection = () => ({ accountId: guid(), connectionId: 7 });

  test('lists are found as they were saved last', async () => {
    const [kept, of] = [open(), connection()];
    expect(await kept.find(ctx, of, undefined)).toBeUndefined();
    await kept.save(ctx, of, { digest: 'a', readAt: AT }, lists);
    const found = await kept.find(ctx, of, undefined);
    expect(found).toMatchObject({ digest: 'a', readAt: AT });
    expect(Buffer.from(found?.lists?.prompts ?? []).toString()).toBe('[{"name":"ask"}]');
    expect(Buffer.from(found?.lists?.resources ?? []).toString()).toBe('[{"uri":"x://1"}]');
    expect(Buffer.from(found?.lists?.templates ?? []).toString()).toBe('[{"uriTemplate":"x://{id}"}]');
    expect(found?.lists).toMatchObject({ hasPrompts: true, hasResources: true, hasCompletions: true });
    await kept.save(ctx, of, { digest: 'b', readAt: LATER }, others);
    expect(await kept.find(ctx, of, 'a')).toMatchObject({
      digest: 'b',
      readAt: LATER,
      lists: { hasResources: false, hasCompletions: false },
    });
  });

  test('lists that are known are not read, only when they were', async () => {
    const [kept, of] = [open(), connection()];
    await kept.save(ctx, of, { digest: 'a', readAt: AT }, lists);
    await kept.touch(ctx, of, LATER);
    expect(await kept.find(ctx, of, 'a')).toMatchObject({ digest: 'a', readAt: LATER, lists: undefined });
  });

  test('removed lists are gone, those of other connections and accounts are not', async () => {
    const [kept, of] = [open(), connection()];
    const neighbours = [{ ...of, connectionId: 8 }, connection()];
    for (const each of [of, ...neighbours]) await kept.save(ctx, each, { digest: 'a', readAt: AT }, lists);
    await kept.remove(ctx, of);
    expect(await kept.find(ctx, of, undefined)).toBeUndefined();
    for (const each of neighbours) expect(await kept.find(ctx, each, 'a')).toBeDefined();
  });
});

test('an account that has too many loses those that were read least recently', async () => {
  const kept = createUpstreamListRepository(store);
  const accountId = guid();
  const small = listsJson({ prompts: [] });
  const save = (connectionId: number) =>
    kept.save(ctx, { accountId, connectionId }, { digest: 'a', readAt: new Date(connectionId) }, small);
  for (let id = 1; id <= MAX_KEPT + 2; id += 1) await save(id);
  const has = async (connectionId: number) =>
    (await kept.find(ctx, { accountId, connectionId }, 'a')) !== undefined;
  expect(await Promise.all([1, 2, 3, MAX_KEPT + 2].map(has))).toEqual([false, false, true, true]);
});
