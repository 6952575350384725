import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connection } from '../../testing/tool-calls.ts';
import { newToolSummary, toolset } from '../../testing/toolsets.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';

it('removes the connections and workflows that are gone, and only these', async () => {
  const removed: unknown[] = [];
  const deps: Parameters<typeof dropDeletedMembers>[0] = {
    connections: { findConnections: () => Promise.resolve([connection({ id: 7 })]) },
    workflows: {
      findTools: () => Promise.resolve([{ workflowToken: 'wf', tool: newToolSummary('onboard') }]),
    },
    toolsets: {
      removeMembers(_ctx, _account, id, members) {
        removed.push([id, members]);
        return Promise.resolve(toolset());
      },
    },
  };
  const drop = (o: Parameters<typeof toolset>[0]) => dropDeletedMembers(deps, testContext(), toolset(o));
  expect(await drop({ connectionIds: [7, 8], workflowTokens: ['wf', 'gone'] })).toEqual(toolset());
  expect(await drop({ connectionIds: [7, 9] })).toEqual(toolset());
  expect(await drop({ workflowTokens: ['wf'] })).toEqual(toolset({ workflowTokens: ['wf'] }));
  const { id } = toolset();
  expect(removed).toEqual([
    [id, { connectionIds: [8], workflowTokens: ['gone'] }],
    [id, { connectionIds: [9], workflowTokens: [] }],
  ]);
});
