import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const LIST = 'sandbox-crm-list-contacts';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

let account: TestAccount;
let token: string;
beforeAll(async () => {
  account = await createAccount();
  const connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
  const body = { name: 'Server', connections: [{ connectionId, tools: [LIST] }] };
  token = expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body.mcpServerToken;
});
afterAll(() => removeAccount(account));

const address = (ending: string): URL => new URL(`${stack.mcpUrl}/${token}/${ending}`);
const credential = (): { readonly 'x-api-key': string } => ({ 'x-api-key': account.apiKey });

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** The client lists the server's tool, and twenty concurrent calls succeed. */
async function expectServed(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([LIST]);
  const calls = Array.from({ length: 20 }, () => client.callTool({ name: LIST, arguments: {} }));
  for (const { isError } of await Promise.all(calls)) expect(isError ?? false).toBe(false);
}

const send = (method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
  fetch(address('mcp'), {
    method,
    headers: {
      ...credential(),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

describe('Streams of MCP clients', () => {
  row(
    ['completion.mcp-servers.18', 'completion.mcp-servers.19'],
    'HTTP+SSE is served at both addresses',
    async () => {
      for (const ending of ['sse', 'mcp']) {
        const requestInit = { headers: credential() };
        // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport
        await expectServed(await connect(new SSEClientTransport(address(ending), { requestInit })));
      }
    },
  );

  row(
    ['completion.mcp-servers.18', 'completion.mcp-servers.19'],
    'Streamable HTTP with a session is served at both addresses, and an ended session is 404',
    async () => {
      for (const ending of ['sse', 'mcp']) {
        const transport = new StreamableHTTPClientTransport(address(ending), {
          requestInit: { headers: credential() },
        });
        await expectServed(await connect(transport));
      }
      const begun = await send('POST', {}, INITIALIZE);
      expect(begun.status).toBe(200);
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
      const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
      expect((await send('POST', session, list)).status).toBe(200);
      const stream = await send('GET', session);
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect((await send('DELETE', session)).status).toBe(204);
      // The session's stream ends with the session.
      expect(await stream.text()).not.toContain('data:');
      for (const method of ['POST', 'GET', 'DELETE'])
        expect((await send(method, session, method === 'POST' ? list : undefined)).status).toBe(404);
    },
  );

  row(
    'completion.mcp-servers.21',
    'a stream ends once its key is revoked, and every stream at an address whose token was rotated',
    async () => {
      const key = expectStatus(await post('/admin/v1/api-keys', { name: 'Short' }, account), 201).body;
      const server = expectStatus(await post('/admin/v1/mcpservers', { name: 'Rotated' }, account), 201).body;
      const open = async (apiKey: string): Promise<Response> => {
        const response = await fetch(server.url, { headers: { 'x-api-key': apiKey } });
        expect(response.status).toBe(200);
        return response;
      };
      const [revoked, kept] = [await open(key.apiKey), await open(account.apiKey)];
      expectStatus(await del(`/admin/v1/api-keys/${key.id}`, account), 204);
      await revoked.text();
      const path = `/admin/v1/mcpservers/${server.mcpServerToken}/rotate`;
      expectStatus(await post(path, {}, account), 200);
      await kept.text();
    },
  );

  row(
    'completion.mcp-servers.18',
    'a message for a stream that nobody holds is 503, and the session of another server 404',
    async () => {
      const stream = new AbortController();
      onTestFinished(() => stream.abort());
      const response = await fetch(address('sse'), { headers: credential(), signal: stream.signal });
      let text = '';
      const reading = (async () => {
        for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
      })().catch(() => undefined);
      await expect.poll(() => text).toContain('endpoint');
      const path = /data: (.*)\n/.exec(text)?.[1] ?? '';
      const message = async (to: string) =>
        (
          await fetch(new URL(to, stack.baseUrl), {
            method: 'POST',
            headers: { ...credential(), 'content-type': 'application/json' },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
          })
        ).status;
      expect(await message(path)).toBe(202);
      await expect.poll(() => text).toContain('event: message');
      const other = expectStatus(await post('/admin/v1/mcpservers', { name: 'Other' }, account), 201);
      expect(await message(path.replace(token, other.body.mcpServerToken))).toBe(404);
      stream.abort();
      await reading;
      await expect.poll(() => message(path)).toBe(503);
    },
  );
});
