import { randomUUID } from 'node:crypto';
import { startSubscriptionServer } from '@fairlead/connector-runtime/testing/subscription-server';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, patch, post, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';

const LIST = 'sandbox-crm-list-contacts';
const CREATE = 'sandbox-crm-create-contact';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

async function serve(members: object): Promise<string> {
  const made = await post('/admin/v1/mcpservers', { name: 'Server', ...members }, account);
  return expectStatus(made, 201).body.mcpServerToken;
}

const WIRES: readonly (readonly [string, (token: string) => Transport])[] = [
  [
    'HTTP+SSE',
    (token) =>
      // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport
      new SSEClientTransport(new URL(`${stack.mcpUrl}/${token}/sse`), {
        requestInit: { headers: { 'x-api-key': account.apiKey } },
      }),
  ],
  [
    'a session of Streamable HTTP',
    (token) =>
      new StreamableHTTPClientTransport(new URL(`${stack.mcpUrl}/${token}/mcp`), {
        requestInit: { headers: { 'x-api-key': account.apiKey } },
      }),
  ],
];

/** A client that lists its tools after connecting, and again only when notified of a change. */
async function follow(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  const lists: string[][] = [];
  const list = async (): Promise<void> => {
    const { tools } = await client.listTools();
    lists.push(tools.map(({ name }) => name).toSorted());
  };
  client.setNotificationHandler('notifications/tools/list_changed', list);
  await client.connect(transport);
  expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true } });
  await list();
  return { client, latest: () => lists.at(-1) };
}

describe.each(WIRES)('A client on %s lists its tools again', (_name, open) => {
  it('when its server, the toolset or a workflow has changed', async () => {
    const tools = [LIST, CREATE].map((toolSlug) => ({ toolSlug, applicationSlug: 'sandbox-crm' }));
    const flow = { name: 'Flow', slug: `flow-${randomUUID()}`, steps: [{ id: 'list', toolSlug: LIST }] };
    const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
    const workflows = [{ workflowToken }];
    const toolset = { name: 'Narrow', connections: [{ connectionId }], tools, workflows };
    const { id: toolsetId } = expectStatus(await post('/v1/toolsets', toolset, account), 201).body;
    const token = await serve({ connections: [{ connectionId, tools: [LIST] }], workflows });
    const { latest } = await follow(open(token));
    expect(latest()).toEqual([flow.slug, LIST].toSorted());

    const connections = [{ connectionId, tools: [LIST, CREATE] }];
    expectStatus(await patch(`/v1/mcpservers/${token}`, { connections, toolsetId }, account), 200);
    await expect.poll(latest, { timeout: 90_000 }).toEqual([flow.slug, CREATE, LIST].toSorted());

    const narrower = { tools: tools.slice(0, 1) };
    expectStatus(await patch(`/v1/toolsets/${toolsetId}`, narrower, account), 200);
    await expect.poll(latest, { timeout: 90_000 }).toEqual([flow.slug, LIST].toSorted());

    const slug = `flow-${randomUUID()}`;
    expectStatus(await patch(`/v1/workflows/${workflowToken}`, { slug }, account), 200);
    await expect.poll(latest, { timeout: 90_000 }).toEqual([slug, LIST].toSorted());
  });

  it('when a connection is deleted', async () => {
    const { id } = await createCrmConnection('To be deleted', account.apiKey);
    const token = await serve({ connections: [{ connectionId: id, tools: [LIST] }] });
    const { latest } = await follow(open(token));
    expect(latest()).toEqual([LIST]);
    expect((await del(`/v1/connections/${id}?force=true`, account)).status).toBe(204);
    await expect.poll(latest, { timeout: 90_000 }).toEqual([]);
  });
});

describe.each(WIRES)('An idle client on %s', (_name, open) => {
  it('is told of changes that a connected MCP server announces', async () => {
    const upstream = await startSubscriptionServer(['live://1']);
    onTestFinished(() => upstream.close());
    const fields = { serverUrl: upstream.url };
    const connection = { applicationSlug: 'mcp', connectionName: 'Upstream', authenticationId: 0, fields };
    const { id } = await createConnection(connection, account.apiKey);
    const { latest, client } = await follow(open(await serve({ connections: [{ connectionId: id }] })));
    const lists: string[][] = [];
    const listResources = async (): Promise<void> => {
      lists.push((await client.listResources()).resources.map(({ uri }) => uri));
    };
    client.setNotificationHandler('notifications/resources/list_changed', listResources);
    // Lists that were never read have not changed.
    await expect
      .poll(() => listResources().then(() => lists.at(-1)), { timeout: 90_000 })
      .toEqual(['live://1']);
    await expect.poll(() => upstream.streams(), { timeout: 90_000 }).toBeGreaterThan(0);
    upstream.setTools(['first']);
    await expect.poll(latest, { timeout: 90_000 }).toEqual(['first']);
    upstream.setTools(['first', 'second']);
    await expect.poll(latest, { timeout: 90_000 }).toEqual(['first', 'second']);
    upstream.setResources(['live://1', 'live://2']);
    await expect.poll(() => lists.at(-1), { timeout: 90_000 }).toEqual(['live://1', 'live://2']);
  });
});

describe('A client of version 2026-07-28', () => {
  it('is told of changes while it listens, and of nothing that it has not asked for', async () => {
    const token = await serve({ connections: [{ connectionId, tools: [LIST] }] });
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    onTestFinished(() => client.close());
    const told: string[] = [];
    for (const list of ['tools', 'prompts', 'resources'] as const)
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => void told.push(list));
    const requestInit = { headers: { 'x-api-key': account.apiKey } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${stack.mcpUrl}/${token}/mcp`), { requestInit }),
    );
    const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true });
    // The server has no prompts.
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
    const connections = [{ connectionId, tools: [LIST, CREATE] }];
    expectStatus(await patch(`/v1/mcpservers/${token}`, { connections }, account), 200);
    await expect.poll(() => told, { timeout: 90_000 }).toEqual(['tools']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([CREATE, LIST]);
  });
});
