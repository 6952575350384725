import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connection, connectorHead, OWNER } from '../testing/builders.ts';
import { findMethod } from './find-method.ts';

const head = connectorHead();
const asked: string[] = [];
const deps = {
  catalog: {
    getConnector: (_ctx: unknown, slug: string) => {
      asked.push(slug);
      return Promise.resolve(head);
    },
  },
};

test('the method is that of the application, which for an MCP connection is `mcp`', async () => {
  const ctx = testContext(OWNER);
  const found = await findMethod(deps, ctx, connection({ authenticationId: 1 }));
  expect(found).toMatchObject({ head, method: { authenticationId: 1 } });
  await findMethod(deps, ctx, connection({ kind: 'MCPClient', applicationSlug: 'mcp-7' }));
  expect(asked).toEqual(['crm', 'mcp']);
});

test('a method that the application no longer has is unavailable', async () => {
  await expect(
    findMethod(deps, testContext(OWNER), connection({ authenticationId: 9 })),
  ).rejects.toMatchObject({ kind: 'unavailable', message: 'the application no longer offers this method' });
});
