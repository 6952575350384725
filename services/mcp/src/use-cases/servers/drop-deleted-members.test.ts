import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { references } from '../../testing/deps.ts';
import { mcpServer } from '../../testing/servers.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';

const entry = (connectionId: number) => ({
  connectionId,
  applicationSlug: 'crm',
  tools: null,
  identity: 'shared' as const,
});

it('removes only what has gone, and nothing if all is there', async () => {
  const removed: unknown[] = [];
  const left = mcpServer({ connections: [entry(7)], workflowTokens: ['wf'] });
  const deps = {
    ...references(),
    servers: {
      removeMembers(_ctx: unknown, ...of: unknown[]) {
        removed.push(of);
        return Promise.resolve(left);
      },
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  expect(await dropDeletedMembers(deps, ctx, left)).toBe(left);
  expect(removed).toEqual([]);
  const written = mcpServer({ connections: [entry(7), entry(9)], workflowTokens: ['gone', 'wf'] });
  expect(await dropDeletedMembers(deps, ctx, written)).toBe(left);
  expect(removed).toEqual([['acc_1', written.id, { connectionIds: [9], workflowTokens: ['gone'] }]]);
});
