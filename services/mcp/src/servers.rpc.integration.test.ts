import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { EntryIdentity, SchemaForm } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import type { McpServer } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { notFound, unknownSlug } from '@fairlead/errors/api-error';
import { eraseAll, exportAll, platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { tokenHashOf } from './domain/server-token.ts';
import { servedDefinitionCollection } from './storage/served-definition.collection.ts';
import { startMcp } from './testing/start-mcp.ts';
import type { TestMcp } from './testing/start-mcp.ts';

const TOOLSET = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
/** Connections of every account, with their applications. */
const CONNECTIONS = new Map([
  [7, 'crm'],
  [8, 'mcp-8'],
]);
const TOOLS = ['list', 'send'];

let mcp: TestMcp;
let servers: RpcClient<typeof McpServerService>;
let endpoint: RpcClient<typeof EndpointService>;
/** Called at each request for connections; a test may delete one meanwhile. */
let onFindConnections = (): void => undefined;

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  mcp = await startMcp(stores, (router) =>
    router
      .service(CredentialService, {
        findConnections({ ids }) {
          const connections = ids.flatMap((id) => {
            const applicationSlug = CONNECTIONS.get(id);
            return applicationSlug === undefined ? [] : [{ id, applicationSlug }];
          });
          onFindConnections();
          return { connections };
        },
      })
      .service(ToolService, {
        listChosenTools({ choice }) {
          const named = choice.case === 'tools' ? choice.value.tools : [];
          const items = named
            .filter(({ toolSlug }) => TOOLS.includes(toolSlug))
            .map(({ applicationSlug, toolSlug }) => ({
              applicationSlug,
              toolSlug,
              identities: [`${applicationSlug} ${toolSlug}`],
            }));
          return { items, totalCount: items.length };
        },
        getTool({ toolSlug }) {
          throw unknownSlug('tool', toolSlug, TOOLS);
        },
      })
      .service(WorkflowService, {
        findWorkflowTools: ({ workflowTokens }) => ({
          items: workflowTokens
            .filter((workflowToken) => workflowToken.startsWith('wf'))
            .map((workflowToken) => ({ workflowToken, tool: {} })),
        }),
      })
      .service(ToolsetService, {
        getToolset({ id }) {
          if (id !== TOOLSET) throw notFound('toolset');
          return { toolset: { id } };
        },
      }),
  );
  servers = mcp.client(McpServerService);
  endpoint = mcp.client(EndpointService);
});
afterAll(() => mcp.close());

const contextOf = (accountId: string) => testContext({ accountId });
const hashOf = (server: McpServer | undefined): string => tokenHashOf(server?.token ?? '');

async function create(
  accountId: string,
  o: Parameters<typeof servers.createMcpServer>[1] = {},
): Promise<McpServer> {
  const { server } = await servers.createMcpServer(contextOf(accountId), { name: 'Sales', ...o });
  if (server === undefined) throw new Error('no server was created');
  return server;
}

test('an account has a default server from its first call on, until it deletes it', async () => {
  const ctx = contextOf('acc_default');
  const listed = await servers.listMcpServers(ctx, {});
  expect(listed.totalCount).toBe(1);
  const [server] = listed.items;
  expect(server).toMatchObject({
    name: 'Default',
    description: '',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [],
    workflowTokens: [],
    settings: { confirmDestructive: false, holdChangedTools: false, schemas: SchemaForm.PORTABLE },
  });
  expect(server?.token).toMatch(/^mcp_[0-9A-Za-z]{32}$/);
  expect((await servers.listMcpServers(ctx, {})).items).toEqual([server]);
  await servers.deleteMcpServer(ctx, { tokenHash: hashOf(server) });
  expect((await servers.listMcpServers(ctx, {})).totalCount).toBe(0);
  const created = await create('acc_created');
  const { items } = await servers.listMcpServers(contextOf('acc_created'), {});
  expect(items.map(({ name, id }) => [name, id === created.id])).toEqual([
    ['Sales', true],
    ['Default', false],
  ]);
});

test('a server is created with all members, and read as it was written', async () => {
  const members = {
    name: 'Everything',
    description: 'for agents',
    isAnonymousAllowed: true,
    connections: [
      { connectionId: 7, tools: { slugs: ['list', 'send', 'list'] }, identity: EntryIdentity.USER },
      { connectionId: 8, identity: EntryIdentity.SHARED },
    ],
    workflowTokens: ['wf_1'],
    settings: {
      contextBudget: 1_000,
      confirmDestructive: true,
      toolsetId: TOOLSET,
      holdChangedTools: true,
      schemas: SchemaForm.ORIGINAL,
    },
  };
  const created = await create('acc_all', members);
  expect(created).toMatchObject({
    ...members,
    isActive: true,
    connections: [
      {
        connectionId: 7,
        applicationSlug: 'crm',
        tools: { slugs: ['list', 'send'] },
        identity: EntryIdentity.USER,
      },
      { connectionId: 8, applicationSlug: 'mcp-8', identity: EntryIdentity.SHARED },
    ],
  });
  expect(created.connections[1]?.tools).toBeUndefined();
  const ctx = contextOf('acc_all');
  expect((await servers.getMcpServer(ctx, { tokenHash: hashOf(created) })).server).toEqual(created);
  // Bound to the tools that the slugs mean now.
  const stored = await mcp.db.collection('mcp_servers').findOne({ name: 'Everything' });
  expect(stored?.['connections']).toMatchObject([
    {
      tools: [
        { toolSlug: 'list', identity: 'crm list' },
        { toolSlug: 'send', identity: 'crm send' },
      ],
    },
    { tools: null },
  ]);
});

test('a change leaves omitted members as they are; a list replaces the former one', async () => {
  const ctx = contextOf('acc_changes');
  const created = await create('acc_changes', {
    isAnonymousAllowed: true,
    connections: [{ connectionId: 7 }],
    workflowTokens: ['wf_1', 'wf_2'],
    settings: { contextBudget: 5, toolsetId: TOOLSET },
  });
  const tokenHash = hashOf(created);
  const update = async (members: Parameters<typeof servers.updateMcpServer>[1]) =>
    (await servers.updateMcpServer(ctx, { tokenHash, ...members })).server;
  const none = await update({});
  expect({ ...none, updatedAt: undefined }).toEqual({ ...created, updatedAt: undefined });
  expect(
    await update({
      isActive: false,
      connections: { items: [{ connectionId: 8 }] },
      schemas: SchemaForm.ORIGINAL,
    }),
  ).toMatchObject({
    isActive: false,
    isAnonymousAllowed: true,
    connections: [{ connectionId: 8, applicationSlug: 'mcp-8' }],
    workflowTokens: ['wf_1', 'wf_2'],
    settings: { contextBudget: 5, toolsetId: TOOLSET, schemas: SchemaForm.ORIGINAL },
  });
  const emptied = await update({
    name: 'New',
    description: 'new',
    connections: {},
    workflows: { tokens: [] },
    confirmDestructive: true,
    holdChangedTools: true,
    contextBudgetChange: { case: 'noContextBudget', value: true },
    toolsetChange: { case: 'noToolset', value: true },
  });
  expect(emptied).toMatchObject({
    name: 'New',
    description: 'new',
    connections: [],
    workflowTokens: [],
    settings: { confirmDestructive: true, holdChangedTools: true, schemas: SchemaForm.ORIGINAL },
  });
  expect(emptied?.settings?.contextBudget).toBeUndefined();
  expect(emptied?.settings?.toolsetId).toBeUndefined();
});

test.each([
  ['a connection', { connections: { items: [{ connectionId: 9 }] } }],
  ['a tool', { connections: { items: [{ connectionId: 7, tools: { slugs: ['lst'] } }] } }],
  ['a workflow', { workflows: { tokens: ['other'] } }],
  ['a toolset', { toolsetChange: { case: 'toolsetId' as const, value: TOOLSET.replace('0', '1') } }],
])('naming %s that does not exist is NOT_FOUND, and nothing is applied', async (_name, members) => {
  const ctx = contextOf('acc_unknown');
  const created = await create('acc_unknown', { workflowTokens: ['wf_1'] });
  const tokenHash = hashOf(created);
  const change = { tokenHash, name: 'New', isActive: false, ...members };
  await expect(servers.updateMcpServer(ctx, change)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await servers.getMcpServer(ctx, { tokenHash })).server).toEqual(created);
});

test('duplicates are VALIDATION_ERROR naming the later one, and nothing is applied', async () => {
  const ctx = contextOf('acc_twice');
  const created = await create('acc_twice');
  const tokenHash = hashOf(created);
  const change = {
    tokenHash,
    isActive: false,
    connections: { items: [{ connectionId: 7 }, { connectionId: 7 }] },
    workflows: { tokens: ['wf_1', 'wf_1'] },
  };
  await expect(servers.updateMcpServer(ctx, change)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connections[1].connectionId' }, { field: 'workflows[1].workflowToken' }],
  });
  expect((await servers.getMcpServer(ctx, { tokenHash })).server).toEqual(created);
});

test('a rotated token opens nothing at once; the new one opens the same server', async () => {
  const ctx = contextOf('acc_rotates');
  const created = await create('acc_rotates', { isAnonymousAllowed: true });
  const { server } = await servers.rotateToken(ctx, { tokenHash: hashOf(created) });
  expect({ ...server, token: '', updatedAt: undefined }).toEqual({
    ...created,
    token: '',
    updatedAt: undefined,
  });
  const find = (found: McpServer | undefined) =>
    endpoint.findServer(platformContext, { server: { case: 'tokenHash', value: hashOf(found) } });
  expect((await find(created)).serverId).toBe('');
  const head = { serverId: created.id, accountId: 'acc_rotates', isActive: true, isAnonymousAllowed: true };
  expect(await find(server)).toMatchObject(head);
  const byId = await endpoint.findServer(platformContext, {
    server: { case: 'serverId', value: created.id },
  });
  expect(byId).toMatchObject(head);
  await expect(servers.rotateToken(ctx, { tokenHash: hashOf(created) })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('only the platform finds the server of a token', async () => {
  const created = await create('acc_found');
  const server = { case: 'tokenHash', value: hashOf(created) } as const;
  await expect(endpoint.findServer(contextOf('acc_found'), { server })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  expect((await endpoint.findServer(platformContext, {})).serverId).toBe('');
});

test('a server of another account is as unknown as one that does not exist', async () => {
  const created = await create('acc_mine');
  const other = contextOf('acc_other');
  const attempts = (tokenHash: string) => [
    servers.getMcpServer(other, { tokenHash }),
    servers.updateMcpServer(other, { tokenHash, isActive: false }),
    servers.rotateToken(other, { tokenHash }),
    servers.acceptChanges(other, { tokenHash }),
    servers.deleteMcpServer(other, { tokenHash }),
  ];
  const outcomes = async (tokenHash: string) =>
    (await Promise.allSettled(attempts(tokenHash))).map((settled) =>
      settled.status === 'rejected' ? String(settled.reason) : settled.status,
    );
  const foreign = await outcomes(hashOf(created));
  expect(foreign).toEqual(await outcomes(tokenHashOf('mcp_unknown')));
  expect(new Set(foreign).size).toBe(1);
  expect(foreign[0]).toContain('does not exist');
  expect((await servers.listMcpServers(other, {})).items.map(({ name }) => name)).toEqual(['Default']);
  const { server } = await servers.getMcpServer(contextOf('acc_mine'), { tokenHash: hashOf(created) });
  expect(server).toEqual(created);
});

test('a connection that is deleted while a server is written does not stay in it', async () => {
  CONNECTIONS.set(11, 'crm');
  // Deleted after the check, before the server is checked again.
  onFindConnections = () => CONNECTIONS.delete(11);
  try {
    const created = await create('acc_race', { connections: [{ connectionId: 7 }, { connectionId: 11 }] });
    expect(created.connections.map(({ connectionId }) => connectionId)).toEqual([7]);
  } finally {
    onFindConnections = () => undefined;
  }
});

test('uses are named by the servers’ names, and removed from all of them', async () => {
  const ctx = contextOf('acc_uses');
  const uses = mcp.client(UseService);
  const one = await create('acc_uses', {
    name: 'One',
    connections: [{ connectionId: 7 }, { connectionId: 8 }],
  });
  await create('acc_uses', { name: 'Two', connections: [{ connectionId: 7 }], workflowTokens: ['wf_1'] });
  await create('acc_neighbour', { connections: [{ connectionId: 7 }], workflowTokens: ['wf_1'] });
  const named = async (used: Parameters<typeof uses.listUses>[1]) => (await uses.listUses(ctx, used)).uses;
  expect(await named({ connectionId: 7 })).toEqual(['mcpServer:One', 'mcpServer:Two']);
  expect(await named({ workflowToken: 'wf_1' })).toEqual(['mcpServer:Two']);
  await uses.removeUses(ctx, {});
  await uses.removeUses(ctx, { connectionIds: [7], workflowTokens: ['wf_1'] });
  expect(await named({ connectionId: 7 })).toEqual([]);
  expect(await named({ workflowToken: 'wf_1' })).toEqual([]);
  const { server } = await servers.getMcpServer(ctx, { tokenHash: hashOf(one) });
  expect(server?.connections.map(({ connectionId }) => connectionId)).toEqual([8]);
  const neighbour = await uses.listUses(contextOf('acc_neighbour'), { connectionId: 7 });
  expect(neighbour.uses).toEqual(['mcpServer:Sales']);
});

test('an account’s servers are exported without their tokens, and erased with all that opens them', async () => {
  const data = mcp.client(AccountDataService);
  const created = await create('acc_data', {
    connections: [{ connectionId: 7, tools: { slugs: ['list'] } }],
    workflowTokens: ['wf_1'],
  });
  const neighbour = await create('acc_kept');
  await mcp.db.collection(servedDefinitionCollection.name).insertOne({
    accountId: 'acc_data',
    serverId: created.id,
    createdAt: new Date(0),
  });
  const exported = await exportAll(data, 'acc_data');
  expect(Object.keys(exported)).toEqual(['mcpServers', 'servedDefinitions']);
  expect(exported['mcpServers']).toHaveLength(2);
  expect(exported['mcpServers']?.[0]).toEqual({
    id: created.id,
    name: 'Sales',
    description: '',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [{ connectionId: 7, applicationSlug: 'crm', tools: ['list'], identity: 'shared' }],
    workflowTokens: ['wf_1'],
    settings: {
      contextBudget: null,
      confirmDestructive: false,
      toolsetId: null,
      holdChangedTools: false,
      schemas: 'portable',
    },
    createdAt: expect.any(String) as unknown,
    updatedAt: expect.any(String) as unknown,
  });
  expect(JSON.stringify(exported)).not.toContain(created.token);
  expect(JSON.stringify(exported)).not.toContain(hashOf(created));
  await eraseAll(data, 'acc_data');
  const server = { case: 'tokenHash', value: hashOf(created) } as const;
  expect((await endpoint.findServer(platformContext, { server })).serverId).toBe('');
  for (const { name } of await mcp.db.listCollections().toArray()) {
    const left = await mcp.db
      .collection<{ _id: string }>(name)
      .find({ $or: [{ accountId: 'acc_data' }, { _id: 'acc_data' }, { scope: 'acc_data' }] })
      .toArray();
    expect([name, left]).toEqual([name, []]);
  }
  expect(
    (await servers.getMcpServer(contextOf('acc_kept'), { tokenHash: hashOf(neighbour) })).server,
  ).toEqual(neighbour);
});

test('a caller whose key is confined to a toolset manages no servers', async () => {
  const ctx = testContext({
    caller: {
      kind: 'user',
      accountId: 'acc_confined',
      userId: 'usr_1',
      roles: [],
      permissions: [],
      confinement: { toolsetId: TOOLSET, keyId: 'key_1' },
    },
  });
  await expect(servers.listMcpServers(ctx, {})).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
