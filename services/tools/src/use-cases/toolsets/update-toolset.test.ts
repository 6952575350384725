import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection } from '../../testing/tool-calls.ts';
import { newToolSummary, toolListsOf, toolset } from '../../testing/toolsets.ts';
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
        Promise.resolve(tokens.map((workflowToken) => ({ workflowToken, tool: newToolSummary('onboard') }))),
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
  const bound = { ...policy, bindings: { onboard: ['slug onboard', 'slug crm-list-contacts'] } };
  expect(await updateToolset(deps, testContext(), id, { policy, tools: null })).toEqual({
    ...existing,
    policy: bound,
  });
  await expect(updateToolset(deps, testContext(), id, { connectionIds: [7, 8] })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(updateToolset(deps, testContext(), 'other', { name: 'x' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(changes).toEqual([{ policy: bound, tools: null }]);
});

it('keeps no workflow that was deleted meanwhile', async () => {
  const found = [[{ workflowToken: 'wf', tool: newToolSummary('onboard') }], []];
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

it('binds the policy as it is when the change is made, and gives up when it changes again and again', async () => {
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['onboard'] };
  let stored = toolset({ policy: { ...policy, requireApproval: [], bindings: {} } });
  let changesByOthers = 1;
  const deps: Parameters<typeof updateToolset>[0] = {
    catalog: { resolveTool: () => Promise.reject(notFound('tool')) },
    connections: { findConnections: () => Promise.resolve([connection()]) },
    toolLists: toolListsOf(),
    workflows: {
      findTools: (_ctx, tokens) =>
        Promise.resolve(tokens.map((workflowToken) => ({ workflowToken, tool: newToolSummary('onboard') }))),
    },
    toolsets: {
      find: () => Promise.resolve(stored),
      update(_ctx, _account, { revision }, change) {
        if (changesByOthers > 0) {
          changesByOthers -= 1;
          stored = {
            ...stored,
            policy: { ...policy, bindings: { onboard: [] } },
            revision: stored.revision + 1,
          };
        }
        return Promise.resolve(revision === stored.revision ? { ...stored, ...change } : undefined);
      },
      removeMembers: () => Promise.reject(new Error('nothing is gone')),
    },
    clock: new ManualClock(toolset().updatedAt),
  };
  const change = { workflowTokens: ['wf'] };
  expect((await updateToolset(deps, testContext(), id, change)).policy?.bindings).toEqual({
    onboard: ['slug onboard'],
  });
  changesByOthers = Number.POSITIVE_INFINITY;
  await expect(updateToolset(deps, testContext(), id, change)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
