import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { connection, connectorHead, NOW, OWNER } from '../testing/builders.ts';
import { publishMcpApplication } from './publish-mcp-application.ts';
import type { McpToolsRead } from '../domain/mcp-tools-read.ts';

const server = { serverName: 'Files', serverVersion: '2.1', toolsJson: Buffer.from('[]') };

/** An account with a connection, or none; records what is stored. */
function world(o: { readonly isDeleted?: boolean; readonly mcpTools?: McpToolsRead } = {}) {
  const writes: unknown[] = [];
  let mcpTools = o.mcpTools;
  const deps = {
    catalog: {
      putApplication: (_ctx: unknown, { slug, name, version }: ConnectorHead) => {
        writes.push({ slug, name, version });
        return Promise.resolve();
      },
      deleteApplication: (_ctx: unknown, slug: string) => {
        writes.push(`delete ${slug}`);
        return Promise.resolve();
      },
    },
    connections: {
      saveToolsRead: (_ctx: unknown, _accountId: string, _id: number, read: Required<McpToolsRead>) => {
        mcpTools = read;
        return Promise.resolve(o.isDeleted !== true);
      },
    },
    clock: new ManualClock(NOW),
  };
  const publish = (found = server) =>
    publishMcpApplication(
      deps,
      testContext(OWNER),
      connection({
        kind: 'MCPClient',
        applicationSlug: 'mcp-7',
        credentialVersion: 3,
        ...(mcpTools && { mcpTools }),
      }),
      connectorHead({ kind: 'MCPClient' }),
      found,
    );
  return { writes, publish };
}

const application = { slug: 'mcp-7', name: 'Files', version: '1.0.4' };

test('unchanged tools keep the version of the application, changed ones have the next', async () => {
  const { writes, publish } = world();
  expect(await publish()).toBe(true);
  expect(await publish()).toBe(false);
  expect(await publish({ ...server, serverVersion: '2.2' })).toBe(true);
  // The previous release used the version of the credential.
  expect(writes).toEqual([application, application, { ...application, version: '1.0.5' }]);
});

test('the application is removed if the connection was deleted meanwhile: no caller could delete it any more', async () => {
  const { writes, publish } = world({ isDeleted: true });
  await expect(publish()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(writes).toEqual([application, 'delete mcp-7']);
});
