import { isGuid } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import { LATER, references } from '../../testing/deps.ts';
import { mcpServer } from '../../testing/servers.ts';
import { createServer } from './create-server.ts';
import type { CreateServerDeps } from './create-server.ts';

it('stores an active server with a new id and token, and nothing if something does not exist', async () => {
  const stored: ServerWithToken[] = [];
  const deps: CreateServerDeps = {
    ...references(),
    servers: {
      hasHadDefault: () => Promise.resolve(true),
      insertDefault: () => Promise.reject(new Error('the account has one')),
      insert(_ctx, _account, server) {
        stored.push(server);
        return Promise.resolve();
      },
      removeMembers: () => Promise.reject(new Error('nothing is gone')),
    },
  };
  const { name, description, connections, workflowTokens, settings } = mcpServer();
  const content = { name, description, connections, workflowTokens, settings, isAnonymousAllowed: true };
  const created = await createServer(deps, testContext(), content);
  const { id, token, ...same } = created;
  const {
    id: _id,
    token: _token,
    ...expected
  } = mcpServer({
    isAnonymousAllowed: true,
    createdAt: LATER,
    updatedAt: LATER,
  });
  expect(same).toEqual(expected);
  expect(isGuid(id)).toBe(true);
  expect(token.reveal()).toMatch(/^mcp_/);
  const [entry] = connections.map((connection) => ({ ...connection, connectionId: 9 }));
  await expect(
    createServer(deps, testContext(), { ...content, connections: entry ? [entry] : [] }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(createServer(deps, testContext(), { ...content, name: '' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(stored).toEqual([created]);
});
