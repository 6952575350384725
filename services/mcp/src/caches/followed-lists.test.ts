import { testContext } from '@fairlead/service-kit/testing/context';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { expect, test } from 'vitest';
import type { UpstreamChanges } from '../ports/upstreams.ts';
import { createFollowedLists } from './followed-lists.ts';

const upstream = (connectionId: number) => ({ connectionId, applicationSlug: `mcp-${connectionId}` });
const ctx = testContext({ accountId: 'acc_1' });

/** Lists whose upstreams say nothing; `open` names the connections that are listened to. */
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
  const knownLists = { find: () => Promise.resolve([]) };
  return { open, followed: createFollowedLists({ knownLists, upstreamChanges, timers: fastTimers }) };
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
