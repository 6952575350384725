import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Upstream } from '../../domain/upstream-lists.ts';
import { servedServer } from '../../testing/served.ts';
import { followLists } from './follow-lists.ts';

const sources = [{ connectionId: 7, applicationSlug: 'mcp-7' }];
const ctx = testContext({ caller: { kind: 'serviceForAccount', service: 'gateway', accountId: 'acc_1' } });

test('the MCP servers behind all entries are followed for a minute, and servers that are gone are left out', async () => {
  const followed: unknown[] = [];
  const asked: unknown[] = [];
  const deps = {
    activeServers: {
      find(_ctx: unknown, of: { readonly serverId: string }) {
        asked.push(of);
        return Promise.resolve(of.serverId === 'known' ? { ...servedServer([]), sources } : undefined);
      },
    },
    followedLists: {
      followFor(_ctx: unknown, upstreams: readonly Upstream[], forMs: number) {
        followed.push(...upstreams, forMs);
      },
    },
  };
  await followLists(deps, ctx, ['gone', 'known']);
  expect(asked).toEqual([
    { accountId: 'acc_1', serverId: 'gone', confinedTo: undefined },
    { accountId: 'acc_1', serverId: 'known', confinedTo: undefined },
  ]);
  expect(followed).toEqual([60_000, ...sources, 60_000]);
  const many = Array.from({ length: 1_001 }, () => 'known');
  await expect(followLists(deps, ctx, many)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
