import { randomBytes } from 'node:crypto';
import { startEverythingServer } from '@fairlead/connector-runtime/testing/everything-server';
import type { EverythingServer } from '@fairlead/connector-runtime/testing/everything-server';
import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { McpMessage, TestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { startSubscriptionServer } from '@fairlead/connector-runtime/testing/subscription-server';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { post, stack } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';

const LARGE = { uri: 'own://large', blob: randomBytes(5 * 1024 * 1024).toString('base64') };

let account: TestAccount;
let reference: EverythingServer;
let own: TestMcpServer;
/** An MCP server with the prompts and resources of both upstreams. */
let token: string;

/** The prompts and resources of the second server; the reference server has the prompt, too. */
function respond({ id, method, params }: McpMessage) {
  switch (method) {
    case 'tools/list':
      return { body: mcpResult(id, { tools: [] }) };
    case 'prompts/list':
      return { body: mcpResult(id, { prompts: [{ name: 'simple-prompt' }, { name: 'own-prompt' }] }) };
    case 'resources/list':
      return { body: mcpResult(id, { resources: [{ uri: LARGE.uri, name: 'Large' }] }) };
    case 'resources/templates/list':
      return { body: mcpResult(id, { resourceTemplates: [] }) };
    case 'prompts/get': {
      const content = { type: 'text', text: `own ${params?.name}`, mark: 'as sent' };
      return { body: mcpResult(id, { messages: [{ role: 'user', content }] }) };
    }
    case 'resources/read':
      if (params?.uri === LARGE.uri) return { body: mcpResult(id, { contents: [LARGE] }) };
      return {
        body: { jsonrpc: '2.0', id: id ?? null, error: { code: -32_002, message: 'Resource not found' } },
      };
    default:
      return { status: 404 };
  }
}

async function connect(serverUrl: string): Promise<number> {
  const fields = { serverUrl };
  const body = { applicationSlug: 'mcp', connectionName: 'Upstream', authenticationId: 0, fields };
  return (await createConnection(body, account.apiKey)).id;
}

async function serve(members: object): Promise<string> {
  const made = await post('/admin/v1/mcpservers', { name: 'Server', ...members }, account);
  return expectStatus(made, 201).body.mcpServerToken;
}

beforeAll(async () => {
  [account, reference, own] = await Promise.all([
    createAccount(),
    startEverythingServer(),
    startTestMcpServer(respond, [], undefined, { tools: {}, prompts: {}, resources: {} }),
  ]);
  const ids = [await connect(reference.url), await connect(own.url)];
  token = await serve({ connections: ids.map((connectionId) => ({ connectionId })) });
});
afterAll(async () => {
  await removeAccount(account);
  await Promise.all([reference.close(), own.close()]);
});

const WIRES = ['HTTP+SSE', 'Streamable HTTP', '2026-07-28'] as const;

async function open(wire: (typeof WIRES)[number], ofToken = token): Promise<Client> {
  const requestInit = { headers: { 'x-api-key': account.apiKey } };
  const url = new URL(`${stack.mcpUrl}/${ofToken}/mcp`);
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: wire === '2026-07-28' ? 'auto' : 'legacy' } },
  );
  onTestFinished(() => client.close());
  await client.connect(
    wire === 'HTTP+SSE'
      ? // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport
        new SSEClientTransport(url, { requestInit })
      : new StreamableHTTPClientTransport(url, { requestInit }),
  );
  return client;
}

describe.each(WIRES)('A client on %s', (wire) => {
  it('lists the prompts and resources of all connections in their order, names being unique', async () => {
    const client = await open(wire);
    expect(client.getServerCapabilities()).toMatchObject({ prompts: {}, resources: {}, completions: {} });
    // Generous: a busy machine may take long for the first reading.
    const namesOf = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
    await expect.poll(namesOf, { timeout: 90_000 }).toHaveLength(6);
    const names = await namesOf();
    expect(names.slice(0, 4)).toEqual([
      'simple-prompt',
      'args-prompt',
      'completable-prompt',
      'resource-prompt',
    ]);
    expect(names.slice(4)).toEqual([expect.stringMatching(/^simple-prompt_[0-9a-f]{8}$/), 'own-prompt']);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('demo://resource/static/document/features.md');
    expect(resources.at(-1)).toEqual({ uri: LARGE.uri, name: 'Large' });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'demo://resource/dynamic/text/{resourceId}',
    );
    const [second = ''] = names.slice(4);
    const { messages } = await client.getPrompt({ name: second });
    expect(messages).toMatchObject([{ content: { text: 'own simple-prompt' } }]);
  });

  it('gets prompts, reads resources and completes arguments', async () => {
    const client = await open(wire);
    const prompt = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Ulm' } });
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: "What's weather in Ulm?" } },
    ]);
    const uri = 'demo://resource/dynamic/text/7';
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, mimeType: 'text/plain' }]);
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    const argument = { name: 'department', value: 'Sa' };
    expect((await client.complete({ ref, argument })).completion.values).toEqual(['Sales']);
  });

  it('gets a resource of 5 MiB whole', async () => {
    const client = await open(wire);
    const { contents } = await client.readResource({ uri: LARGE.uri });
    expect(contents).toEqual([LARGE]);
  });

  it('gets the errors of the protocol', async () => {
    const client = await open(wire);
    const uri = 'nowhere://1';
    // The SDK maps the code of former versions to this one.
    const notFound = { code: -32_602, data: { uri } };
    await expect(client.readResource({ uri })).rejects.toMatchObject(notFound);
    await expect(client.getPrompt({ name: 'none' })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.listPrompts({ cursor: 'none' })).rejects.toMatchObject({ code: -32_602 });
  });
});

it('entries with a list of tools, and servers with a toolset, pass neither prompts nor resources', async () => {
  const connectionId = await connect(own.url);
  const toolset = expectStatus(
    await post('/v1/toolsets', { name: 'None', connections: [], tools: [] }, account),
    201,
  );
  for (const members of [
    { connections: [{ connectionId, tools: [] }] },
    { connections: [{ connectionId }], toolsetId: toolset.body.id },
  ]) {
    const client = await open('Streamable HTTP', await serve(members));
    for (const name of ['prompts', 'resources', 'completions'])
      expect(client.getServerCapabilities()).not.toHaveProperty(name);
    const listed = client.request({ method: 'prompts/list', params: {} });
    await expect(listed).rejects.toMatchObject({ code: -32_601 });
  }
});

it('a client of version 2026-07-28 is told of a changed resource of a server of a former version', async () => {
  const upstream = await startSubscriptionServer(['live://1']);
  onTestFinished(() => upstream.close());
  const client = await open(
    '2026-07-28',
    await serve({ connections: [{ connectionId: await connect(upstream.url) }] }),
  );
  const updated: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updated.push(params.uri),
  );
  const { honoredFilter } = await client.listen({ resourceSubscriptions: ['live://1'] });
  expect(honoredFilter).toEqual({ resourceSubscriptions: ['live://1'] });
  await expect.poll(() => upstream.subscribed, { timeout: 90_000 }).toContain('live://1');
  upstream.update('live://1');
  await expect.poll(() => updated, { timeout: 90_000 }).toContain('live://1');
});

it.each(WIRES.slice(0, 2))(
  'a client on %s is told of changes of a resource that it subscribes to, and of no other',
  async (wire) => {
    const upstream = await startSubscriptionServer(['live://1', 'live://2']);
    onTestFinished(() => upstream.close());
    const entry = { connectionId: await connect(upstream.url) };
    const client = await open(wire, await serve({ connections: [entry] }));
    expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true } });
    const updated: string[] = [];
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    );
    // Generous: a busy machine may take long for the first reading of the server's lists.
    await expect
      .poll(async () => (await client.listResources()).resources, { timeout: 90_000 })
      .toHaveLength(2);
    await client.subscribeResource({ uri: 'live://1' });
    await expect.poll(() => upstream.subscribed, { timeout: 90_000 }).toContain('live://1');
    for (const uri of ['live://2', 'live://1']) upstream.update(uri);
    await expect.poll(() => updated, { timeout: 90_000 }).toContain('live://1');
    expect(updated).not.toContain('live://2');
  },
);

it('a client that listens is told that the tools of a connected server have changed, and lists them', async () => {
  const upstream = await startSubscriptionServer([]);
  onTestFinished(() => upstream.close());
  const entry = { connectionId: await connect(upstream.url) };
  const client = await open('2026-07-28', await serve({ connections: [entry] }));
  const lists: string[][] = [];
  client.setNotificationHandler('notifications/tools/list_changed', async () => {
    lists.push((await client.listTools()).tools.map(({ name }) => name));
  });
  await client.listen({ toolsListChanged: true });
  await expect.poll(() => upstream.streams(), { timeout: 90_000 }).toBeGreaterThan(0);
  upstream.setTools(['first']);
  await expect.poll(() => lists.at(-1), { timeout: 90_000 }).toEqual(['first']);
  upstream.setTools(['first', 'second']);
  await expect.poll(() => lists.at(-1), { timeout: 90_000 }).toEqual(['first', 'second']);
});
