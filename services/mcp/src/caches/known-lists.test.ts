import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { Timers } from '@fairlead/service-kit/timers';
import { expect, test } from 'vitest';
import type { UpstreamListsJson } from '../domain/upstream-lists.ts';
import type { UpstreamRequests, Wish } from '../ports/upstreams.ts';
import { memoryUpstreamLists } from '../testing/memory-upstream-lists.ts';
import { listsJson } from '../testing/upstreams.ts';
import { createUpstreamListCache } from './known-lists.ts';

type Answer = Awaited<ReturnType<UpstreamRequests['readLists']>>;

const ctx = testContext({ accountId: 'mine' });
const listed = (...names: readonly string[]): Answer => ({
  kind: 'lists',
  lists: listsJson({ prompts: names.map((name) => ({ name })) }),
});
const failure = (isUnauthorized: boolean): Answer => ({ kind: 'failure', message: 'No.', isUnauthorized });

/** One replica, whose upstream 7 gives the answers of `answer`. */
function replica(store = memoryUpstreamLists()) {
  const clock = new ManualClock(new Date('2026-11-29T12:00:00.000Z'));
  const timeouts = new Set<() => void>();
  const timers: Timers = {
    after(_delayMs, run) {
      timeouts.add(run);
      return { cancel: () => void timeouts.delete(run) };
    },
  };
  const upstream: { answer: () => Promise<Answer>; reads: number } = {
    answer: () => Promise.resolve(listed('a')),
    reads: 0,
  };
  const changes: string[] = [];
  const known = createUpstreamListCache({
    requests: {
      readLists() {
        upstream.reads += 1;
        return upstream.answer();
      },
    },
    store,
    clock,
    timers,
    onChange(accountId) {
      changes.push(accountId);
      return Promise.resolve();
    },
  });
  const names = async (wish: Wish = 'fresh'): Promise<readonly string[] | undefined> => {
    const [lists] = await known.find(ctx, [7], wish);
    return lists?.prompts.map(({ key }) => key);
  };
  /** The wait for the upstream has ended. */
  const expire = (): void => {
    for (const run of timeouts) run();
  };
  return { known, store, clock, upstream, changes, names, expire, timeouts };
}

test('lists are read when they are asked for, and again when they are old', async () => {
  const { names, upstream, clock, changes } = replica();
  expect(await names()).toEqual(['a']);
  upstream.answer = () => Promise.resolve(listed('b'));
  expect(await names()).toEqual(['a']);
  expect(upstream.reads).toBe(1);
  clock.advance(1_000);
  expect(await names()).toEqual(['b']);
  expect(changes).toEqual(['mine']);
});

test('who has to find an item does not wait for lists that are known, and reads them once a minute', async () => {
  const { names, upstream, clock } = replica();
  expect(await names('known')).toEqual(['a']);
  clock.advance(59_000);
  expect(await names('known')).toEqual(['a']);
  expect(upstream.reads).toBe(1);
  upstream.answer = () => Promise.resolve(listed('b'));
  clock.advance(1_000);
  expect(await names('known')).toEqual(['a']);
  await expect.poll(() => names('known')).toEqual(['b']);
});

test('a slow upstream delays a list once, and changes none until it has answered', async () => {
  const { names, upstream, clock, expire, timeouts, changes } = replica();
  await names();
  clock.advance(1_000);
  const late = Promise.withResolvers<Answer>();
  upstream.answer = () => late.promise;
  const waiting = names();
  await expect.poll(() => timeouts.size).toBe(1);
  expire();
  expect(await waiting).toEqual(['a']);
  clock.advance(1_000);
  expect(await names()).toEqual(['a']);
  expect(upstream.reads).toBe(2);
  late.resolve(listed('b'));
  await expect.poll(() => changes).toEqual(['mine']);
  expect(await names()).toEqual(['b']);
});

test('who has to find an item waits for the first lists, unless the upstream fails', async () => {
  const { names, upstream, timeouts } = replica();
  const late = Promise.withResolvers<Answer>();
  upstream.answer = () => late.promise;
  const waiting = names('known');
  await expect.poll(() => timeouts.size).toBe(1);
  late.resolve(listed('a'));
  expect(await waiting).toEqual(['a']);
  const second = replica();
  second.upstream.answer = () => Promise.resolve(failure(false));
  expect(await second.names('known')).toBeUndefined();
  second.upstream.answer = () => new Promise(() => undefined);
  expect(await second.names('known')).toBeUndefined();
});

test('clients that got no list are told when there is one', async () => {
  const { names, upstream, changes } = replica();
  const late = Promise.withResolvers<Answer>();
  upstream.answer = () => late.promise;
  expect(await names('atOnce')).toBeUndefined();
  late.resolve(listed('a'));
  await expect.poll(() => changes).toEqual(['mine']);
  expect(await names('atOnce')).toEqual(['a']);
});

test.each<[string, () => Promise<Answer>]>([
  ['fails', () => Promise.resolve(failure(false))],
  ['cannot be asked', () => Promise.reject(new ApiError('UNAVAILABLE', 'away'))],
])('the lists of an upstream that %s stay, also on another replica', async (_what, answer) => {
  const first = replica();
  await first.names();
  const second = replica(first.store);
  for (const { names, upstream, clock } of [first, second]) {
    clock.advance(10_000);
    upstream.answer = answer;
    expect(await names()).toEqual(['a']);
    expect(await names()).toEqual(['a']);
  }
  expect([...first.changes, ...second.changes]).toEqual([]);
});

test('the lists of an upstream that accepts no credential go, on every replica', async () => {
  const first = replica();
  await first.names();
  const second = replica(first.store);
  expect(await second.names()).toEqual(['a']);
  first.clock.advance(1_000);
  first.upstream.answer = () => Promise.resolve(failure(true));
  expect(await first.names()).toBeUndefined();
  expect(first.changes).toEqual(['mine']);
  second.clock.advance(2_000);
  second.upstream.answer = () => Promise.reject(new ApiError('UNAVAILABLE', 'away'));
  expect(await second.names()).toBeUndefined();
});

test('lists that another replica has read are used without reading them', async () => {
  const first = replica();
  const second = replica(first.store);
  expect(await first.names()).toEqual(['a']);
  expect(await second.names()).toEqual(['a']);
  expect(second.upstream.reads).toBe(0);
});

test('calls share one reading, and accounts share nothing', async () => {
  const { known, upstream } = replica();
  const ofOther = testContext({ accountId: 'other' });
  await Promise.all([known.find(ctx, [7], 'fresh'), known.find(ctx, [7], 'fresh')]);
  expect(upstream.reads).toBe(1);
  await known.find(ofOther, [7], 'fresh');
  expect(upstream.reads).toBe(2);
});

test('memory of lists is bounded: those that were used least recently are read from the store again', async () => {
  const { known, upstream, store } = replica();
  const large = listsJson({ prompts: [{ name: 'a'.repeat(1024 * 1024) }] });
  upstream.answer = () => Promise.resolve({ kind: 'lists', lists: large });
  const ids = Array.from({ length: 70 }, (_id, at) => at);
  for (const id of ids) await known.find(ctx, [id], 'fresh');
  const before = store.found();
  await known.find(ctx, [69], 'known');
  expect(store.found()).toBe(before);
  await known.find(ctx, [0], 'known');
  expect(store.found()).toBe(before + 1);
  expect(upstream.reads).toBe(70);
});

test('abilities are part of what changes', async () => {
  const { names, upstream, clock, changes } = replica();
  await names();
  const lists: UpstreamListsJson = { ...listsJson({ prompts: [{ name: 'a' }] }), hasSubscriptions: true };
  upstream.answer = () => Promise.resolve({ kind: 'lists', lists });
  clock.advance(1_000);
  await names();
  expect(changes).toEqual(['mine']);
});
