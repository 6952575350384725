import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { McpServer } from '../../domain/mcp-server.ts';
import { createToolDefinitions } from '../../domain/tool-definition.ts';
import { createToolDescriptions } from '../../domain/tool-descriptions.ts';
import type { CataloguedTool, ToolsetTools } from '../../ports/tool-lists.ts';
import { memoryDefinitions } from '../../testing/memory-definitions.ts';
import { cataloguedTool, entry, testServer } from '../../testing/served.ts';
import { listServerTools } from './list-server-tools.ts';

const ctx = testContext();
const list = cataloguedTool('crm-list');
const renamed = cataloguedTool('crm-new', {
  aliases: ['crm-old'],
  identities: ['slug crm-new', 'slug crm-old'],
});
const chat = cataloguedTool('send', { applicationSlug: 'chat', upstreamName: 'Send' });
const flow = cataloguedTool('onboard', { applicationSlug: 'workflow' });

async function listTools(
  server: Partial<McpServer>,
  o: {
    toolset?: ToolsetTools | undefined;
    toolsetId?: string;
    gone?: number[];
    catalogue?: readonly CataloguedTool[];
    ctx?: RequestContext;
  } = {},
) {
  const { catalogue = [list, renamed, chat] } = o;
  const tools = await listServerTools(
    {
      descriptions: createToolDescriptions(1024 * 1024),
      definitions: createToolDefinitions(100),
      toolDefinitions: memoryDefinitions(),
      servers: { findById: () => Promise.resolve(testServer(server)) },
      clock: new ManualClock(new Date(0)),
      connections: {
        findConnections: (_ctx, ids) =>
          Promise.resolve(
            ids
              .filter((id) => o.gone?.includes(id) !== true)
              .map((id) => ({ id, applicationSlug: 'crm', isForUsers: true })),
          ),
      },
      toolLists: {
        ofApplications: (_ctx, slugs) =>
          Promise.resolve(catalogue.filter(({ applicationSlug }) => slugs.includes(applicationSlug))),
        chosen: (_ctx, chosen) =>
          Promise.resolve(
            catalogue.filter(({ applicationSlug, toolSlug, aliases, identities }) =>
              chosen.some(
                (it) =>
                  it.applicationSlug === applicationSlug &&
                  (it.identity === undefined
                    ? [toolSlug, ...aliases].includes(it.toolSlug)
                    : identities.includes(it.identity)),
              ),
            ),
          ),
        workflows: (_ctx, tokens) =>
          Promise.resolve(tokens.includes('wf') ? [{ workflowToken: 'wf', tool: flow }] : []),
        ofToolset: () => Promise.resolve(o.toolset),
      },
    },
    o.ctx ?? ctx,
    testServer(server),
    o.toolsetId,
  );
  return Object.fromEntries(
    [...tools].map(([name, { target, listed }]) => [name, { target, listed: listed.parseObject() }]),
  );
}

test('all tools of the connections, and the workflows, each with the connection that it is called with', async () => {
  const connections = [entry(7), entry(8, { applicationSlug: 'chat' })];
  const tools = await listTools({ connections, workflowTokens: ['wf', 'gone'] });
  expect(Object.entries(tools).map(([name, { target }]) => [name, target])).toEqual([
    ['onboard', { kind: 'workflow', workflowToken: 'wf' }],
    ['crm-list', { kind: 'tool', applicationSlug: 'crm', toolSlug: 'crm-list', connectionId: 7 }],
    ['crm-new', { kind: 'tool', applicationSlug: 'crm', toolSlug: 'crm-new', connectionId: 7 }],
    ['Send', { kind: 'tool', applicationSlug: 'chat', toolSlug: 'send', connectionId: 8 }],
  ]);
});

test('each connection of an application has its own tools, those of later ones with a hash', async () => {
  const tools = await listTools({ connections: [entry(9, { tools: [{ toolSlug: 'crm-list' }] }), entry(7)] });
  const ofList = Object.entries(tools).filter(
    ([, { target }]) => Reflect.get(target, 'toolSlug') === 'crm-list',
  );
  expect(ofList.map(([name, { target }]) => [name.replace(/_[0-9a-f]{8}$/, '_hash'), target])).toMatchObject([
    ['crm-list_hash', { connectionId: 9 }],
    ['crm-list', { connectionId: 7 }],
  ]);
});

test('chosen tools alone, by identity or by any slug that they have had; gone ones are not listed', async () => {
  const chosen = (tools: { toolSlug: string; identity?: string }[]) =>
    listTools({ connections: [entry(7, { tools })] }).then(Object.keys);
  expect(await chosen([{ toolSlug: 'crm-old' }, { toolSlug: 'none' }])).toEqual(['crm-new']);
  expect(await chosen([{ toolSlug: 'crm-list', identity: 'slug crm-old' }])).toEqual(['crm-new']);
  expect(await chosen([])).toEqual([]);
  expect(Object.keys(await listTools({ connections: [entry(7)] }, { gone: [7] }))).toEqual([]);
});

test('with identity user, a tool is called without the connection of the entry', async () => {
  const tools = await listTools({ connections: [entry(7, { identity: 'user' })] });
  expect(tools['crm-list']?.target).toMatchObject({ kind: 'tool', connectionId: undefined });
});

test('a toolset leaves out tools, connections and fixed inputs, and changes no name', async () => {
  const fixed = { ...list, inputSchema: LazyJson.of({ type: 'object', properties: {} }) };
  const server = { connections: [entry(7), entry(8)], workflowTokens: ['wf'] };
  const all = await listTools(server);
  const toolset = { connectionIds: [8], tools: [fixed, flow] };
  const tools = await listTools(server, { toolsetId: 't', toolset });
  const [second = ''] = Object.keys(all).filter((name) => name.startsWith('crm-list_'));
  expect(Object.keys(tools).toSorted()).toEqual([second, 'onboard'].toSorted());
  expect(tools[second]?.listed['inputSchema']).toEqual({ type: 'object', properties: {} });
  expect(await listTools(server, { toolsetId: 't' })).toEqual({});
});

test('a list ends before it has more than 16 MiB: its workflows come first, and the log says so', async () => {
  const { log, lines } = captureLog();
  const description = 'd'.repeat(1024 * 1024);
  const large = Array.from({ length: 20 }, (_tool, at) =>
    cataloguedTool(`crm-${String(at).padStart(2, '0')}`, { description }),
  );
  const o = { catalogue: large, ctx: { ...ctx, log } };
  const names = Object.keys(await listTools({ connections: [entry(7)], workflowTokens: ['wf'] }, o));
  expect(names).toEqual(['onboard', ...large.slice(0, 15).map(({ toolSlug }) => toolSlug)]);
  expect(lines()).toMatchObject([{ served: 16, msg: 'a list of tools is too large, and was cut' }]);
});
