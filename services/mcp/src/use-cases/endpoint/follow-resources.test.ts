import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { expect, test } from 'vitest';
import type { Wish } from '../../ports/upstreams.ts';
import { followResources } from './follow-resources.ts';

test('resources that may have changed are told, lists are read again, and failures are survived', async () => {
  const left = new AbortController();
  const ctx = { ...testContext(), signal: left.signal };
  const read: unknown[] = [];
  const updated: string[] = [];
  let attempts = 0;
  const deps = {
    timers: fastTimers,
    upstreamLists: {
      find: (_ctx: RequestContext, ids: readonly number[], wish: Wish) => {
        read.push([...ids, wish]);
        return Promise.resolve([]);
      },
    },
    upstreamChanges: {
      async *listen() {
        attempts += 1;
        if (attempts === 1) throw new ApiError('UNAVAILABLE', 'away');
        yield await Promise.resolve({ uris: ['x://2'], haveListsChanged: true });
        left.abort();
      },
    },
  };
  const upstream = { connectionId: 7, applicationSlug: 'mcp-7' };
  const followed = { upstream, uris: ['x://1', 'x://2'] };
  await followResources(deps, ctx, followed, (uri) => updated.push(uri));
  expect(updated).toEqual(['x://1', 'x://2', 'x://2']);
  // One call after the failure and one after the change. Lists read a moment before are not re-read at once.
  await expect.poll(() => read).toEqual(Array.from({ length: 4 }, () => [7, 'fresh']));
});
