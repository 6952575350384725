import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Tool } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { call, expectList, get, patch, post, put } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';

const LIST = 'sandbox-crm-list-contacts';
const CREATE = 'sandbox-crm-create-contact';
const INVALID_PARAMS = -32_602;

type Members = Readonly<Record<string, unknown>>;

let account: TestAccount;
let first: number;
let second: number;
beforeAll(async () => {
  account = await createAccount();
  first = (await createCrmConnection('First', account.apiKey)).id;
  second = (await createCrmConnection('Second', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A server of the account with these members; by default for the first connection. */
async function create(
  members: Members = {},
): Promise<{ readonly url: string; readonly mcpServerToken: string }> {
  const body = { name: 'Support', connections: [entry(first)], ...members };
  return expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
}

const entry = (connectionId: number, more: Members = {}) => ({ connectionId, ...more });

/** A client of the SDK after its handshake with the server, or with the version without a handshake. */
async function connect(url: string, version: 'handshake' | 'stateless' = 'handshake'): Promise<Client> {
  const mode = version === 'handshake' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { 'x-api-key': account.apiKey } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  clients.push(client);
  return client;
}

/** All tools of a server, by name. */
async function toolsOf(client: Client): Promise<ReadonlyMap<string, Tool>> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The text of an error result. */
async function errorOf(client: Client, name: string, fields: Members = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: { ...fields } });
  expect(result.isError, JSON.stringify(result)).toBe(true);
  return JSON.stringify(result.content);
}

const contact = () => ({ name: 'Ada', email: `${randomUUID()}@example.com` });

describe('An MCP server', () => {
  for (const version of ['handshake', 'stateless'] as const)
    it(`lists the tools of its connections and calls them, for a client of the SDK (${version})`, async () => {
      const server = await create();
      for (const url of [server.url, server.url.replace(/sse$/, 'mcp')]) {
        const client = await connect(url, version);
        expect(client.getServerVersion()).toMatchObject({ name: 'Support' });
        const tools = await toolsOf(client);
        expect(tools.get(LIST)?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
        expect(tools.get(CREATE)?.annotations).toMatchObject({ readOnlyHint: false });
        const fields = contact();
        const created = await client.callTool({ name: CREATE, arguments: fields });
        expect(created.structuredContent).toMatchObject({ email: fields.email });
        expect(created.content).toMatchObject([{ type: 'text' }]);
      }
      const { items } = expectList(await get('/v1/executions?top=1', account));
      expect(items[0].executionInfo).toMatchObject({ source: 'mcp', mcpServerName: 'Support' });
    });

  row(
    'completion.mcp-servers.13',
    'lists the tools of every connection of an application, those of later ones with a hash suffix',
    async () => {
      const only = { tools: [LIST] };
      const client = await connect(
        (await create({ connections: [entry(first, only), entry(second, only)] })).url,
      );
      const names = [...(await toolsOf(client)).keys()];
      expect(names).toEqual([LIST, expect.stringMatching(/^sandbox-crm-list-contacts_[0-9a-f]{8}$/)]);
      for (const name of names) await client.callTool({ name });
      const { items } = expectList(await get('/v1/executions?top=2', account));
      expect(items.map(({ executionInfo }) => executionInfo.connectionId)).toEqual([second, first]);
    },
  );

  row(
    'completion.mcp-servers.14',
    'answers a call of an unknown tool with the JSON-RPC error -32602',
    async () => {
      const client = await connect((await create()).url);
      await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: INVALID_PARAMS });
    },
  );

  row('completion.mcp-servers.15', 'answers a refused call with an error that names the code', async () => {
    const { id } = await createCrmConnection('Blocked', account.apiKey);
    expectStatus(await put(`/admin/v1/connections/${id}/licence`, { status: 'none' }, account), 200);
    const client = await connect((await create({ connections: [entry(id)] })).url);
    expect(await errorOf(client, LIST)).toContain('CONNECTION_BLOCKED');
    const open = await connect((await create()).url);
    const invalid = await errorOf(open, CREATE, { email: 7 });
    expect(invalid).toContain('VALIDATION_ERROR');
    expect(invalid).toContain('- email: ');
  });

  row(
    'completion.mcp-servers.17',
    'takes filters, sorts, top and offset beside the inputs where the tool has them',
    async () => {
      const client = await connect((await create()).url);
      const tools = await toolsOf(client);
      const argumentsOf = (name: string) => Object.keys(tools.get(name)?.inputSchema.properties ?? {});
      expect(argumentsOf(LIST)).toEqual(expect.arrayContaining(['filters', 'sorts', 'top', 'offset']));
      expect(argumentsOf(CREATE)).not.toContain('filters');
      const fields = contact();
      await client.callTool({ name: CREATE, arguments: fields });
      const filters = [{ field: 'email', operator: 'eq', value: fields.email }];
      const found = await client.callTool({ name: LIST, arguments: { filters, top: 5 } });
      expect(JSON.stringify(found.structuredContent)).toContain(fields.email);
      const beyond = await client.callTool({ name: LIST, arguments: { filters, offset: 1 } });
      expect(JSON.stringify(beyond.structuredContent)).not.toContain(fields.email);
    },
  );

  row(
    'completion.mcp-servers.25',
    'with a toolset lists what that permits without its fixed inputs, and calls with its policy',
    async () => {
      const name = `Fixed ${randomUUID()}`;
      const toolset = {
        name: 'Narrow',
        connections: [{ connectionId: first }],
        tools: [{ applicationSlug: 'sandbox-crm', toolSlug: CREATE }],
        policy: { fixedFields: { [CREATE]: { name } } },
      };
      const { id } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
      const client = await connect(
        (await create({ connections: [entry(first), entry(second)], toolsetId: id })).url,
      );
      const tools = await toolsOf(client);
      expect([...tools.keys()]).toEqual([CREATE]);
      expect(Object.keys(tools.get(CREATE)?.inputSchema.properties ?? {})).not.toContain('name');
      const { email } = contact();
      const created = await client.callTool({ name: CREATE, arguments: { email } });
      expect(created.structuredContent).toMatchObject({ name, email });
      await expect(client.callTool({ name: LIST })).rejects.toMatchObject({ code: INVALID_PARAMS });
    },
  );

  row(
    'completion.mcp-servers.29',
    'holds a call for approval, says who may approve it, and runs it once when it is sent again',
    async () => {
      const toolset = {
        name: 'Held',
        connections: [{ connectionId: first }],
        policy: { requireApproval: [CREATE] },
      };
      const { id } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
      const client = await connect((await create({ toolsetId: id })).url);
      const fields = contact();
      const held = await errorOf(client, CREATE, fields);
      expect(held).toContain('APPROVAL_REQUIRED');
      const [, approvalId] = /approvalId: ([0-9a-f-]{36})/.exec(held) ?? [];
      expect(held).toContain('A user with the permission tools.write approves it');
      expect(await errorOf(client, CREATE, fields)).toContain(`approvalId: ${approvalId}`);
      expectStatus(await post(`/v1/approvals/${approvalId}/approve`, undefined, account), 200);
      const created = await client.callTool({ name: CREATE, arguments: fields });
      expect(created.structuredContent).toMatchObject({ email: fields.email });
      expect(await errorOf(client, CREATE, fields)).toContain('APPROVAL_REQUIRED');
    },
  );

  it('serves tools of another MCP server under their own names, with their content as it came', async () => {
    const upstream = await startToolServer(account, [
      { name: 'getSum', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } },
    ]);
    const client = await connect((await create({ connections: [entry(upstream.connectionId)] })).url);
    expect([...(await toolsOf(client)).keys()]).toEqual(['getSum']);
    const result = await client.callTool({ name: 'getSum', arguments: { a: 1 } });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
    expect(result).not.toHaveProperty('structuredContent');
    expect(upstream.calls).toEqual([{ name: 'getSum', arguments: { a: 1 } }]);
    await upstream.close();
  });

  it('serves workflows, and changes of the server hold within two seconds', async () => {
    const flow = { name: 'Flow', slug: `flow-${randomUUID()}`, steps: [{ id: 'list', toolSlug: LIST }] };
    const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
    const server = await create({ connections: [] });
    const client = await connect(server.url);
    expect([...(await toolsOf(client)).keys()]).toEqual([]);
    const change = { workflows: [{ workflowToken }] };
    expectStatus(await patch(`/v1/mcpservers/${server.mcpServerToken}`, change, account), 200);
    await expect.poll(async () => [...(await toolsOf(client)).keys()]).toEqual([flow.slug]);
    const result = await client.callTool({ name: flow.slug });
    expect(result.structuredContent, JSON.stringify(result)).toHaveProperty('list');
  });

  it('answers a batch of 2025-03-26, and refuses other versions than it has', async () => {
    const { url } = await create();
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const batch = expectStatus(await call('POST', url, { ...account, body: [list(1), list(2)] }), 200).body;
    expect(batch).toMatchObject([{ id: 1 }, { id: 2 }]);
    const headers = { 'mcp-protocol-version': '2020-01-01' };
    expectStatus(await call('POST', url, { ...account, body: list(1), headers }), 400);
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const accepted = await call('POST', url, { ...account, body: initialized });
    expect([accepted.status, accepted.text]).toEqual([202, '']);
  });
});
