import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connector } from '@fairlead/connector-model/model';
import type { Connection } from '../domain/connection.ts';
import { connection, connectorHead, OWNER } from '../testing/builders.ts';
import { publishMcpApplication } from './publish-mcp-application.ts';

const mcp = connection({ kind: 'MCPClient', applicationSlug: 'mcp-7', credentialVersion: 3 });
const server = { serverName: 'Files', serverVersion: '2.1', tools: [] };

function depsWith(stored: Connection | undefined) {
  const writes: unknown[] = [];
  return {
    writes,
    deps: {
      catalog: {
        putApplication: (_ctx: unknown, { slug, name, version }: Connector) => {
          writes.push({ slug, name, version });
          return Promise.resolve();
        },
        deleteApplication: (_ctx: unknown, slug: string) => {
          writes.push(`delete ${slug}`);
          return Promise.resolve();
        },
      },
      connections: { find: () => Promise.resolve(stored) },
    },
  };
}

const publish = ({ deps }: ReturnType<typeof depsWith>) =>
  publishMcpApplication(deps, testContext(OWNER), mcp, connectorHead({ kind: 'MCPClient' }), server);
const application = { slug: 'mcp-7', name: 'Files', version: '1.0.3' };

test('the application has the version of the credential that its tools were read with', async () => {
  const given = depsWith(mcp);
  await publish(given);
  expect(given.writes).toEqual([application]);
});

test('the application is removed if the connection was deleted meanwhile: no caller could delete it any more', async () => {
  const given = depsWith(undefined);
  await expect(publish(given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(given.writes).toEqual([application, 'delete mcp-7']);
});
