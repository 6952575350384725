import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { OverloadError } from '@fairlead/connector-runtime/failure';
import { McpDiscoveryError } from '@fairlead/connector-runtime/mcp/discover-tools';
import { compileConnectors } from '@fairlead/connector-model/compile';
import { testContext } from '@fairlead/service-kit/testing/context';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { importMcpServer } from './import-mcp-server.ts';

const ctx = testContext({ accountId: 'acc_1' });
const serverUrl = 'https://mcp.acme.test/mcp';
const tool = {
  toolSlug: 'echo',
  toolName: 'Echo',
  description: 'Repeats a text.',
  category: 'Tools',
  version: '1.0.0',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  retryClass: 'unsafe',
  execution: { type: 'mcp', toolName: 'echo' },
};
const compiled = await compileConnectors(
  fileURLToPath(new URL('../../../../../connectors', import.meta.url)),
);
const mcp = compiled.ok ? compiled.connectors.find(({ slug }) => slug === 'mcp') : undefined;

function setUp(tools: readonly object[] | Error) {
  const stored: Uint8Array[] = [];
  const asked: unknown[] = [];
  const deps = {
    catalog: {
      getConnector: () => (mcp === undefined ? Promise.reject(new Error('no mcp')) : Promise.resolve(mcp)),
    },
    runtime: {
      discoverMcpTools(_head: unknown, _method: unknown, credential: { readonly fields: object }) {
        asked.push(credential.fields);
        if (tools instanceof Error) return Promise.reject(tools);
        const toolsJson = Buffer.from(JSON.stringify(tools));
        return Promise.resolve({ serverName: 'Acme tools', serverVersion: '2', toolsJson });
      },
    },
    imported: {
      add(_ctx: unknown, bytes: Uint8Array) {
        stored.push(bytes);
        return Promise.resolve('the record');
      },
    },
    importPermits: { run: <R>(_call: unknown, work: (hasWaited: boolean) => Promise<R>) => work(false) },
  };
  return { deps, stored, asked };
}

it('the tools of a server become an application whose connections lead to it only', async () => {
  const { deps, stored, asked } = setUp([tool]);
  expect(await importMcpServer(deps, ctx, { slug: 'acme', serverUrl })).toBe('the record');
  expect(asked).toEqual([{ serverUrl }]);
  const connector = parseConnector(stored[0] ?? new Uint8Array());
  expect(connector).toMatchObject({
    slug: 'acme',
    name: 'Acme tools',
    kind: 'Regular',
    maturity: 'generated',
    tools: [{ toolSlug: 'echo', execution: { type: 'mcp', toolName: 'echo' } }],
  });
  expect(connector.authenticationMethods.map(({ scheme }) => scheme.type)).toEqual(['none', 'bearer']);
  for (const { fields } of connector.authenticationMethods)
    expect(fields[0]).toMatchObject({
      name: 'serverUrl',
      options: [{ value: serverUrl }],
      defaultValue: serverUrl,
    });
});

it.each([
  ['no tools', [], 'VALIDATION_ERROR'],
  ['a credential', new McpDiscoveryError('It wants a token.', { isUnauthorized: true }), 'VALIDATION_ERROR'],
  ['a worker that is busy', new OverloadError('Other calls did not end in time.'), 'RATE_LIMIT_EXCEEDED'],
])('nothing is stored of a server with %s', async (_name, tools, code) => {
  const { deps, stored } = setUp(tools);
  await expect(importMcpServer(deps, ctx, { slug: 'acme', serverUrl })).rejects.toMatchObject({ code });
  expect(stored).toEqual([]);
});

it('a slug of an MCP connection is kept for it', async () => {
  const { deps } = setUp([tool]);
  await expect(importMcpServer(deps, ctx, { slug: 'mcp-7', serverUrl })).rejects.toMatchObject({
    details: [{ field: 'slug' }],
  });
});
