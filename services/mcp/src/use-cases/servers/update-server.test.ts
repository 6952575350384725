import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ServerChange } from '../../domain/mcp-server.ts';
import { announced, LATER, references } from '../../testing/deps.ts';
import { memoryDefinitions } from '../../testing/memory-definitions.ts';
import { mcpServer } from '../../testing/servers.ts';
import { updateServer } from './update-server.ts';
import type { UpdateServerDeps } from './update-server.ts';

const existing = mcpServer();
const ctx = testContext({ accountId: 'acc_1' });

/** An account with one server, under the hash `known`. */
function setUp(o: { readonly isGone?: boolean } = {}) {
  const changes: ServerChange[] = [];
  const changed = announced();
  const deps: UpdateServerDeps = {
    ...references(),
    toolDefinitions: memoryDefinitions(),
    changeServers: changed.changeServers,
    servers: {
      find: (_ctx, _account, hash) => Promise.resolve(hash === 'known' ? existing : undefined),
      update(_ctx, _account, _hash, change, now) {
        expect(now).toEqual(LATER);
        changes.push(change);
        const settings = { ...existing.settings, ...change.settings };
        return Promise.resolve(o.isGone ? undefined : { ...existing, ...change, settings });
      },
      removeMembers: () => Promise.reject(new Error('nothing is gone')),
    },
  };
  return { deps, changes, announcedOf: changed.of };
}

it('writes the members that are present, announced under the server’s id', async () => {
  const { deps, changes, announcedOf } = setUp();
  const change = { isActive: false, connections: [], settings: { contextBudget: 7 } };
  expect(await updateServer(deps, ctx, 'known', change)).toMatchObject(change);
  await updateServer(deps, ctx, 'known', { name: 'New' });
  expect(changes).toEqual([change, { name: 'New' }]);
  expect(announcedOf).toEqual([`acc_1 ${existing.id}`, `acc_1 ${existing.id}`]);
});

it('writes and announces nothing of a change that is refused', async () => {
  const { deps, changes, announcedOf } = setUp();
  await expect(updateServer(deps, ctx, 'other', { name: 'New' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(updateServer(deps, ctx, 'known', { name: '' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  const workflowTokens = ['gone'];
  await expect(updateServer(deps, ctx, 'known', { name: 'New', workflowTokens })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect([changes, announcedOf]).toEqual([[], []]);
});

it('is NOT_FOUND if the server goes, or gets another token, meanwhile', async () => {
  const { deps } = setUp({ isGone: true });
  await expect(updateServer(deps, ctx, 'known', { name: 'New' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('removes the definitions that the server served once it no longer holds changed tools', async () => {
  const { deps } = setUp();
  const toolDefinitions = memoryDefinitions();
  const of = { accountId: 'acc_1', serverId: existing.id };
  const tool = { applicationSlug: 'mcp-8', toolSlug: 'send' };
  const added = [{ ...tool, definition: { upstreamName: 'send', fingerprint: 'a' } }];
  await toolDefinitions.save(ctx, of, { added, changed: [], restored: [] }, LATER);
  for (const [settings, left] of [
    [{ contextBudget: 7 }, 1],
    [{ holdChangedTools: true }, 1],
    [{ holdChangedTools: false }, 0],
  ] as const) {
    await updateServer({ ...deps, toolDefinitions }, ctx, 'known', { settings });
    expect(await toolDefinitions.list(ctx, of)).toHaveLength(left);
  }
});
