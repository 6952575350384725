import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { announced } from '../../testing/deps.ts';
import { memoryDefinitions } from '../../testing/memory-definitions.ts';
import { mcpServer } from '../../testing/servers.ts';
import { deleteServer } from './delete-server.ts';

it('announces the deletion under the server’s id, and removes what it served; NOT_FOUND if there is none', async () => {
  const { changeServers, of } = announced();
  const deleted: string[] = [];
  const servers = {
    find: (_ctx: unknown, _account: string, hash: string) =>
      Promise.resolve(hash === 'unknown' ? undefined : mcpServer()),
    delete(_ctx: unknown, _account: string, hash: string) {
      deleted.push(hash);
      return Promise.resolve(hash === 'known');
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  const toolDefinitions = memoryDefinitions();
  const served = { accountId: 'acc_1', serverId: mcpServer().id };
  const tool = { applicationSlug: 'mcp-8', toolSlug: 'send' };
  const added = [{ ...tool, definition: { upstreamName: 'send', fingerprint: 'a' } }];
  await toolDefinitions.save(ctx, served, { added, changed: [], restored: [] }, new Date());
  const deps = { servers, toolDefinitions, changeServers };
  await deleteServer(deps, ctx, 'known');
  expect(await toolDefinitions.list(ctx, served)).toEqual([]);
  for (const hash of ['unknown', 'gone meanwhile'])
    await expect(deleteServer(deps, ctx, hash)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(deleted).toEqual(['known', 'gone meanwhile']);
  expect(of).toEqual([`acc_1 ${mcpServer().id}`, `acc_1 ${mcpServer().id}`]);
});
