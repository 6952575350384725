import { testContext } from '@fairlead/service-kit/testing/context';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import type { UpstreamChanges } from '../ports/upstreams.ts';
import { createFollowedLists } from './followed-lists.ts';

const upstream = (connectionId: number) => ({ connectionId, applicationSlug: `mcp-${connectionId}` });
const ctx = testContext({ accountId: 'acc_1' });

/** Lists whose upstreams announce nothing; `open` has the followed connections. */
function lists() {
  const open: string[] = [];
  const upstreamChanges: UpstreamChanges = {
    async *listen({ signal, caller }, connectionId) {
      const name = `${caller.kind === 'serviceForAccount' ? caller.accountId : 'somebody'} ${connectionId}`;
      open.push(name);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      open.splice(open.indexOf(name), 1);
      yield* [];
    },
  };
  const upstreamLists = { find: () => Promise.resolve([]) };
  const time = new VirtualTime(0);
  const timers = time.timers(() => true);
  return { open, time, followed: createFollowedLists({ upstreamLists, upstreamChanges, timers }) };
}

test('the lists of an upstream are followed once, as long as anybody follows them', async () => {
  const { open, followed } = lists();
  const first = followed.follow(ctx, [upstream(7), upstream(8)]);
  const second = followed.follow(ctx, [upstream(8)]);
  const foreign = followed.follow(testContext({ accountId: 'acc_2' }), [upstream(8)]);
  await expect.poll(() => open).toEqual(['acc_1 7', 'acc_1 8', 'acc_2 8']);
  first();
  first();
  await expect.poll(() => open).toEqual(['acc_1 8', 'acc_2 8']);
  second();
  foreign();
  await expect.poll(() => open).toEqual([]);
  followed.follow(ctx, [upstream(8)]);
  await expect.poll(() => open).toEqual(['acc_1 8']);
});

test('the lists of an upstream are followed for a time, again from each call on', async () => {
  const { open, followed, time } = lists();
  followed.followFor(ctx, [upstream(7)], 60_000);
  await expect.poll(() => open).toEqual(['acc_1 7']);
  await time.runUntil(40_000);
  followed.followFor(ctx, [upstream(7)], 60_000);
  const unfollow = followed.follow(ctx, [upstream(7)]);
  unfollow();
  await time.runUntil(99_000);
  expect(open).toEqual(['acc_1 7']);
  await time.runUntil(100_001);
  await expect.poll(() => open).toEqual([]);
});

test('an account follows 50 upstreams: a further one is followed when it is asked for while there is room', async () => {
  const { open, followed } = lists();
  const [first, ...others] = Array.from({ length: 50 }, (_upstream, at) => upstream(at));
  const unfollow = followed.follow(ctx, first === undefined ? [] : [first]);
  followed.followFor(ctx, others, 60_000);
  followed.followFor(ctx, [upstream(50)], 60_000);
  followed.followFor(testContext({ accountId: 'acc_2' }), [upstream(50)], 60_000);
  await expect.poll(() => open).toContain('acc_2 50');
  expect(open).toHaveLength(51);
  expect(open).not.toContain('acc_1 50');
  unfollow();
  await expect.poll(() => open).not.toContain('acc_1 0');
  followed.followFor(ctx, [upstream(50)], 60_000);
  await expect.poll(() => open).toContain('acc_1 50');
});

test('a replica follows 1 000 upstreams', async () => {
  const { open, followed } = lists();
  for (let account = 0; account < 26; account += 1)
    followed.followFor(
      testContext({ accountId: `acc_${account}` }),
      Array.from({ length: 40 }, (_upstream, at) => upstream(at)),
      60_000,
    );
  await expect.poll(() => open).toHaveLength(1_000);
  expect(open).toContain('acc_0 39');
  expect(open).not.toContain('acc_25 0');
});
