import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, patch, post } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';
import type { ToolServer } from './support/tool-server.ts';

const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };

let account: TestAccount;
let upstream: ToolServer;
beforeAll(async () => {
  account = await createAccount();
  upstream = await startToolServer(account, [
    { name: 'erase', inputSchema, annotations: { destructiveHint: true } },
    { name: 'read', inputSchema, annotations: { readOnlyHint: true } },
  ]);
});
afterAll(async () => {
  await upstream.close();
  await removeAccount(account);
});

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function serve(
  members: Readonly<Record<string, unknown>>,
): Promise<Record<string, any> & { readonly url: string }> {
  const body = { name: 'Careful', connections: [{ connectionId: upstream.connectionId }], ...members };
  return expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
}

/** A client whose person makes this decision; undefined: the client does not support elicitation. */
async function connect(url: string, action?: 'accept' | 'decline' | 'cancel') {
  const questions: string[] = [];
  const capabilities = action === undefined ? {} : { elicitation: { form: {} } };
  const versionNegotiation = { mode: 'legacy' } as const;
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation });
  if (action !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  const requestInit = { headers: { 'x-api-key': account.apiKey } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  clients.push(client);
  const erase = () => client.callTool({ name: 'erase', arguments: { id: 'contact 7' } });
  return { client, questions, erase };
}

const refusedWith = (code: string) => ({ isError: true, _meta: { 'dev.fairlead/errorCode': code } });

describe('confirmDestructive of an MCP server', () => {
  row('completion.mcp-servers.12', 'is off by default, and can be changed', async () => {
    const { mcpServerToken, confirmDestructive, url } = await serve({});
    expect(confirmDestructive).toBe(false);
    const calls = upstream.calls.length;
    await (await connect(url)).erase();
    expect(upstream.calls).toHaveLength(calls + 1);
    const change = (body: object) => patch(`/v1/mcpservers/${mcpServerToken}`, body, account);
    expect((await change({ confirmDestructive: true })).body.confirmDestructive).toBe(true);
    expect((await change({ name: 'Renamed' })).body.confirmDestructive).toBe(true);
    expect((await change({ confirmDestructive: false })).body.confirmDestructive).toBe(false);
    for (const wrong of [null, 'yes', 1])
      expectError(await change({ confirmDestructive: wrong }), 400, 'VALIDATION_ERROR', [
        'confirmDestructive',
      ]);
  });

  row('completion.mcp-servers.12', 'has a person confirm what may destroy something', async () => {
    const { url } = await serve({ confirmDestructive: true });
    const { client, questions, erase } = await connect(url, 'accept');
    const calls = upstream.calls.length;
    expect(await erase()).toMatchObject({ content: [{ text: 'Done.' }] });
    expect(questions).toEqual([expect.stringMatching(/erase.*contact 7/)]);
    expect(upstream.calls).toHaveLength(calls + 1);
    await client.callTool({ name: 'read', arguments: {} });
    expect(questions).toHaveLength(1);
  });

  row('completion.mcp-servers.12', 'executes nothing that nobody confirmed', async () => {
    const { url } = await serve({ confirmDestructive: true });
    const calls = upstream.calls.length;
    expect(await (await connect(url, 'decline')).erase()).toMatchObject(refusedWith('FORBIDDEN'));
    expect(await (await connect(url, 'cancel')).erase()).toMatchObject(refusedWith('APPROVAL_REQUIRED'));
    const unable = await (await connect(url)).erase();
    expect(unable).toMatchObject(refusedWith('APPROVAL_REQUIRED'));
    expect(JSON.stringify(unable.content)).toContain('Use a client that supports elicitation');
    const browsing = await serve({ confirmDestructive: true, contextBudget: 1 });
    const { client } = await connect(browsing.url);
    const indirect = { name: 'call_tool', arguments: { name: 'erase', arguments: {} } };
    expect(await client.callTool(indirect)).toMatchObject(refusedWith('APPROVAL_REQUIRED'));
    expect(upstream.calls).toHaveLength(calls);
  });
});
