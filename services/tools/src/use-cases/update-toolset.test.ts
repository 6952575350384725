import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connectorHead, toolDefinition } from '../testing/fixtures.ts';
import { catalogOf, connection } from '../testing/tool-calls.ts';
import { listedTool, toolListsOf, toolset } from '../testing/toolsets.ts';
import { updateToolset } from './update-toolset.ts';

const { id } = toolset();

it('changes the present members of an existing toolset, once all that they name is found', async () => {
  const changes: unknown[] = [];
  const existing = toolset({ workflowTokens: ['wf'] });
  const deps: Parameters<typeof updateToolset>[0] = {
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: { findConnections: () => Promise.resolve([connection()]) },
    toolLists: toolListsOf(),
    workflows: {
      findTools: (_ctx, tokens) =>
        Promise.resolve(tokens.map((workflowToken) => ({ workflowToken, tool: listedTool('onboard') }))),
    },
    toolsets: {
      find: (_ctx, _account, asked) => Promise.resolve(asked === id ? existing : undefined),
      update(_ctx, _account, _id, change) {
        changes.push(change);
        return Promise.resolve({ ...existing, ...change });
      },
      removeMembers: () => Promise.reject(new Error('nothing is gone')),
    },
    clock: new ManualClock(toolset().updatedAt),
  };
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: 5, requireApproval: ['onboard'] };
  expect(await updateToolset(deps, testContext(), id, { policy, tools: null })).toEqual({
    ...existing,
    policy,
  });
  await expect(updateToolset(deps, testContext(), id, { connectionIds: [7, 8] })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(updateToolset(deps, testContext(), 'other', { name: 'x' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(changes).toEqual([{ policy, tools: null }]);
});

it('keeps no workflow that was deleted meanwhile', async () => {
  const found = [[{ workflowToken: 'wf', tool: listedTool('onboard') }], []];
  const left = toolset({ connectionIds: [] });
  const deps: Parameters<typeof updateToolset>[0] = {
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: { findConnections: () => Promise.reject(new Error('none is named')) },
    toolLists: toolListsOf(),
    workflows: { findTools: () => Promise.resolve(found.shift() ?? []) },
    toolsets: {
      find: () => Promise.resolve(left),
      update: (_ctx, _account, _id, change) => Promise.resolve({ ...left, ...change }),
      removeMembers: (_ctx, _account, _id, { workflowTokens }) =>
        Promise.resolve(workflowTokens.includes('wf') ? left : undefined),
    },
    clock: new ManualClock(toolset().updatedAt),
  };
  expect(await updateToolset(deps, testContext(), id, { workflowTokens: ['wf'] })).toEqual(left);
});
