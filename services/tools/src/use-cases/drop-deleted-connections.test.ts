import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connection } from '../testing/tool-calls.ts';
import { toolset } from '../testing/toolsets.ts';
import { dropDeletedConnections } from './drop-deleted-connections.ts';

it('removes the connections that are gone, and only these', async () => {
  const removed: unknown[] = [];
  const deps: Parameters<typeof dropDeletedConnections>[0] = {
    connections: { findConnections: () => Promise.resolve([connection({ id: 7 })]) },
    toolsets: {
      removeConnections(_ctx, _account, id, connectionIds) {
        removed.push([id, connectionIds]);
        return Promise.resolve(toolset());
      },
    },
  };
  const written = toolset({ connectionIds: [7, 8] });
  expect(await dropDeletedConnections(deps, testContext(), written)).toEqual(toolset());
  expect(await dropDeletedConnections(deps, testContext(), toolset())).toEqual(toolset());
  expect(removed).toEqual([[written.id, [8]]]);
});
