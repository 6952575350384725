import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { cataloguedTool, entry, testServer } from '../../testing/served.ts';
import { listCandidates } from './list-candidates.ts';

it('the tools of connections that exist, with the connection of the entry unless each user has one, and the workflows', async () => {
  const [list, send] = [cataloguedTool('list'), cataloguedTool('send')];
  const deps = {
    connections: {
      findConnections: (_ctx: unknown, ids: readonly number[]) =>
        Promise.resolve(ids.filter((id) => id !== 9).map((id) => ({ id, applicationSlug: 'crm' }))),
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
    ['list', 7, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'list', connectionId: 7 }],
    ['send', 7, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'send', connectionId: 7 }],
    ['send', 8, { kind: 'tool', applicationSlug: 'crm', toolSlug: 'send', connectionId: undefined }],
    ['flow', undefined, { kind: 'workflow', workflowToken: 'wf' }],
  ]);
});
