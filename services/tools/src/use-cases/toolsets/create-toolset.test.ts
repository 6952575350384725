import { ManualClock } from '@fairlead/service-kit/clock';
import { isGuid } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Toolset } from '../../domain/toolset.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection } from '../../testing/tool-calls.ts';
import { toolListsOf, toolset } from '../../testing/toolsets.ts';
import { createToolset } from './create-toolset.ts';

it('stores what exists with a new GUID, and nothing if something does not', async () => {
  const stored: Toolset[] = [];
  const deps: Parameters<typeof createToolset>[0] = {
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: { findConnections: () => Promise.resolve([connection()]) },
    toolLists: toolListsOf(),
    workflows: { findTools: () => Promise.resolve([]) },
    toolsets: {
      insert(_ctx, _account, created) {
        stored.push(created);
        return Promise.resolve();
      },
      removeMembers: () => Promise.reject(new Error('nothing is gone')),
    },
    clock: new ManualClock(toolset().createdAt),
  };
  const { id: _id, createdAt: _created, updatedAt: _updated, ...content } = toolset();
  const created = await createToolset(deps, testContext(), content);
  expect(isGuid(created.id)).toBe(true);
  expect(created).toEqual({ ...toolset(), id: created.id });
  await expect(
    createToolset(deps, testContext(), { ...content, connectionIds: [7, 8] }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(createToolset(deps, testContext(), { ...content, name: '' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(stored).toEqual([created]);
});
