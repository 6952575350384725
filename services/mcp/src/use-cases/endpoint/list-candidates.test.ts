import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { cataloguedTool, entry, testServer } from '../../testing/served.ts';
import { listCandidates } from './list-candidates.ts';

it('the workflows, and the tools of connections that exist, with the connection of the entry unless each user has one', async () => {
  const [list, send] = [cataloguedTool('list'), cataloguedTool('send')];
  const deps = {
    connections: {
      findConnections: (_ctx: unknown, ids: readonly number[]) =>
        Promise.resolve(
          ids.filter((id) => id !== 9).map((id) => ({ id, applicationSlug: 'crm', isForUsers: true })),
        ),
    },
    toolLists: {
      ofApplications: () => Promise.resolve([list, send]),
      chosen: () => Promise.resolve([send]),
      workflows: () => Promise.resolve([{ workflowToken: 'wf', tool: cataloguedTool('flow') }]),
    },
  };
  const server = testServer({
    connections: [
      entry(7),
      entry(8, { tools: [{ toolSlug: 'send' }], identity: 'user' }),
      entry(9, { tools: [{ toolSlug: 'send' }] }),
    ],
    workflowTokens: ['wf'],
  });
  const candidates = await listCandidates(deps, testContext(), server);
  expect(candidates.map(({ toolSlug, connectionId, target }) => [toolSlug, connectionId, target])).toEqual([
    ['flow', undefined, { kind: 'workflow', workflowToken: 'wf' }],
    ['list', 7, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'list', connectionId: 7 }],
    ['send', 7, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'send', connectionId: 7 }],
    ['send', 8, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'send', connectionId: undefined }],
  ]);
});

it('a server has a bounded number of tools, its workflows among them, whatever its entries name', async () => {
  const tools = Array.from({ length: 900 }, (_tool, at) => cataloguedTool(`tool-${at}`));
  const deps = {
    connections: {
      findConnections: (_ctx: unknown, ids: readonly number[]) =>
        Promise.resolve(ids.map((id) => ({ id, applicationSlug: 'crm', isForUsers: true }))),
    },
    toolLists: {
      ofApplications: () => Promise.resolve(tools),
      chosen: () => Promise.resolve([]),
      workflows: () => Promise.resolve([{ workflowToken: 'wf', tool: cataloguedTool('flow') }]),
    },
  };
  const server = testServer({ connections: [entry(7), entry(8), entry(9)], workflowTokens: ['wf'] });
  const candidates = await listCandidates(deps, testContext(), server);
  expect(candidates).toHaveLength(2_000);
  expect(candidates.filter(({ connectionId }) => connectionId === 9)).toHaveLength(199);
  expect(candidates[0]?.toolSlug).toBe('flow');
});
