import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/mcp-server.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { createToolDefinitions } from '../../domain/tool-definition.ts';
import { createToolDescriptions } from '../../domain/tool-descriptions.ts';
import { memoryDefinitions } from '../../testing/memory-definitions.ts';
import { cataloguedTool, entry, testServer } from '../../testing/served.ts';
import { findActiveServer } from './find-active-server.ts';

async function find(server: McpServer | undefined, confinedTo?: string) {
  const toolsets: string[] = [];
  const served = await findActiveServer(
    {
      servers: { findById: () => Promise.resolve(server) },
      descriptions: createToolDescriptions(1024 * 1024),
      definitions: createToolDefinitions(100),
      toolDefinitions: memoryDefinitions(),
      clock: new ManualClock(new Date(0)),
      connections: {
        findConnections: (_ctx, ids) =>
          Promise.resolve(ids.map((id) => ({ id, applicationSlug: 'crm', isForUsers: true }))),
      },
      upstreamConnections: {
        findUpstreams: (_ctx, ids) =>
          Promise.resolve(ids.map((connectionId) => ({ connectionId, applicationSlug: 'crm' }))),
      },
      toolLists: {
        ofApplications: () => Promise.resolve([cataloguedTool('crm-list')]),
        chosen: () => Promise.resolve([]),
        workflows: () => Promise.resolve([]),
        ofToolset(_ctx, toolsetId) {
          toolsets.push(toolsetId);
          return Promise.resolve({ connectionIds: [7], tools: [cataloguedTool('crm-list')] });
        },
      },
    },
    testContext(),
    { accountId: 'a', serverId: 's', confinedTo },
  );
  return { served, toolsets };
}

test('an active server comes with its tools, by name and in pages', async () => {
  const { served, toolsets } = await find(testServer());
  expect([...(served?.tools.keys() ?? [])]).toEqual(['crm-list']);
  expect(served?.toolsetId).toBeUndefined();
  expect(toolsets).toEqual([]);
});

test('a list above the context budget gives way to the tools that search, describe and call the others', async () => {
  const names = async (contextBudget: number | null) => {
    const { served } = await find(testServer({ settings: { ...DEFAULT_SETTINGS, contextBudget } }));
    const listed = served?.pages.page(undefined, false)?.tools.parse();
    return [Array.isArray(listed) && listed.map((it) => JSON.stringify(it)).join(), served?.tools.size];
  };
  expect(await names(null)).toEqual([expect.stringContaining('"crm-list"'), 1]);
  expect(await names(1_000)).toEqual([expect.stringContaining('"crm-list"'), 1]);
  expect(await names(1)).toEqual([expect.stringMatching(/call_tool.*describe_tool.*search_tools/), 1]);
});

test('a server that is gone or not active is not found', async () => {
  expect((await find(undefined)).served).toBeUndefined();
  expect((await find(testServer({ isActive: false }))).served).toBeUndefined();
});

test('the toolset is that of the server, or the one to which the caller is confined', async () => {
  const server = testServer({ settings: { ...DEFAULT_SETTINGS, toolsetId: 'own' } });
  const own = await find(server);
  expect([own.served?.toolsetId, own.toolsets]).toEqual(['own', ['own']]);
  const confined = await find(server, 'mine');
  expect([confined.served?.toolsetId, confined.toolsets]).toEqual(['mine', ['mine']]);
});

test('prompts and resources pass from entries without a list of tools, unless there is a toolset', async () => {
  const connections = [entry(9), entry(8, { tools: [{ toolSlug: 'a' }] }), entry(7)];
  const upstreams = async (server: McpServer, confinedTo?: string) =>
    (await find(server, confinedTo)).served?.upstreams.map(({ connectionId }) => connectionId);
  expect(await upstreams(testServer({ connections }))).toEqual([9, 7]);
  expect(await upstreams(testServer({ connections }), 'mine')).toEqual([]);
  const settings = { ...DEFAULT_SETTINGS, toolsetId: 'own' };
  expect(await upstreams(testServer({ connections, settings }))).toEqual([]);
});
