import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, patch, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATE = 'sandbox-crm-create-contact';
const LIST = 'sandbox-crm-list-contacts';
const BROWSING = ['call_tool', 'describe_tool', 'search_tools'];

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function serve(members: Readonly<Record<string, unknown>>) {
  const body = { name: 'Budget', connections: [{ connectionId }], ...members };
  const server = expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { 'x-api-key': account.apiKey } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  clients.push(client);
  const change = (change: object) => patch(`/v1/mcpservers/${server.mcpServerToken}`, change, account);
  return { server, client, change };
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

const contact = () => ({ name: 'Ada', email: `${crypto.randomUUID()}@example.com` });

describe('The contextBudget of an MCP server', () => {
  row('completion.mcp-servers.11', 'is off by default, is changed, and has bounds', async () => {
    const { server, change } = await serve({});
    expect(server.contextBudget).toBeNull();
    for (const contextBudget of [1, 10_000_000, null])
      expect(expectStatus(await change({ contextBudget }), 200).body.contextBudget).toBe(contextBudget);
    expect(expectStatus(await change({ contextBudget: 7 }), 200).body.contextBudget).toBe(7);
    expect(expectStatus(await change({ name: 'Renamed' }), 200).body.contextBudget).toBe(7);
    for (const contextBudget of [0, -1, 1.5, 10_000_001, '7', true])
      expectError(await change({ contextBudget }), 400, 'VALIDATION_ERROR', ['contextBudget']);
  });

  row(
    'completion.mcp-servers.11',
    'decides whether schemas are listed, or tools that search them',
    async () => {
      const { client, change } = await serve({ contextBudget: 1_000_000 });
      const whole = await client.listTools();
      expect(whole.tools.map(({ name }) => name)).toContain(LIST);
      const cost = Math.ceil(JSON.stringify(whole.tools).length / 4);
      expectStatus(await change({ contextBudget: Math.ceil(cost / 2) }), 200);
      await expect.poll(() => namesOf(client)).toEqual(BROWSING);
      expect(await client.listTools()).toEqual(await client.listTools());
      expectStatus(await change({ contextBudget: cost * 2 }), 200);
      await expect.poll(() => namesOf(client)).toContain(LIST);
    },
  );

  it('leaves every tool callable, by its own name and by call_tool, after it was found', async () => {
    const { client } = await serve({ contextBudget: 1 });
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'create contact' } });
    expect(found.structuredContent).toMatchObject({
      tools: expect.arrayContaining([{ name: CREATE }].map((it) => expect.objectContaining(it))),
    });
    const described = await client.callTool({ name: 'describe_tool', arguments: { name: CREATE } });
    expect(described.structuredContent).toMatchObject({
      name: CREATE,
      inputSchema: { properties: { email: {} } },
    });
    const [direct, indirect] = [contact(), contact()];
    expect((await client.callTool({ name: CREATE, arguments: direct })).structuredContent).toMatchObject(
      direct,
    );
    const call = { name: CREATE, arguments: indirect };
    const result = await client.callTool({ name: 'call_tool', arguments: call });
    expect(result.structuredContent).toMatchObject(indirect);
    const { items } = expectList(await get('/v1/executions?top=2', account));
    expect(items.map((it: any) => [it.toolSlug, it.executionInfo.source])).toEqual([
      [CREATE, 'mcp'],
      [CREATE, 'mcp'],
    ]);
  });

  it('does not loosen the toolset: what that leaves out is neither found nor called, and approvals hold', async () => {
    const toolset = {
      name: 'Narrow',
      connections: [{ connectionId }],
      tools: [{ applicationSlug: 'sandbox-crm', toolSlug: CREATE }],
      policy: { requireApproval: [CREATE] },
    };
    const { id } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
    const { client } = await serve({ contextBudget: 1, toolsetId: id });
    const found = await client.callTool({ name: 'search_tools', arguments: {} });
    expect(found.structuredContent).toMatchObject({ tools: [{ name: CREATE }], totalCount: 1 });
    const outside = await client.callTool({ name: 'call_tool', arguments: { name: LIST } });
    expect(outside).toMatchObject({ isError: true, _meta: { 'dev.fairlead/errorCode': 'NOT_FOUND' } });
    const held = await client.callTool({
      name: 'call_tool',
      arguments: { name: CREATE, arguments: contact() },
    });
    expect(held).toMatchObject({
      isError: true,
      _meta: { 'dev.fairlead/errorCode': 'APPROVAL_REQUIRED' },
    });
  });

  it('keeps idempotency keys: the same call_tool with the same key runs once', async () => {
    const { client } = await serve({ contextBudget: 1 });
    const call = {
      name: 'call_tool',
      arguments: { name: CREATE, arguments: contact() },
      _meta: { 'dev.fairlead/idempotencyKey': crypto.randomUUID() },
    };
    const first = await client.callTool(call);
    expect((await client.callTool(call)).structuredContent).toEqual(first.structuredContent);
  });
});
