import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectList, get, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATE = 'sandbox-crm-create-contact';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

async function serve(members: object = {}): Promise<string> {
  const body = { name: 'Server', connections: [{ connectionId, tools: [CREATE] }], ...members };
  return expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body.mcpServerToken;
}

async function connect(token: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  const transport = new StreamableHTTPClientTransport(new URL(`${stack.mcpUrl}/${token}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

const callWith = (client: Client, key: unknown, email: string) =>
  client.callTool({
    name: CREATE,
    arguments: { name: 'Ada Lovelace', email },
    _meta: { 'dev.fairlead/idempotencyKey': key },
  });

async function executions(): Promise<number> {
  return expectList(await get(`/v1/executions?toolSlug=${CREATE}`, account)).totalCount;
}

describe('A tool call of an MCP client with an idempotency key', () => {
  row(
    'completion.mcp-servers.28',
    'returns the first result again and executes nothing, at any client of the user; another call is refused',
    async () => {
      const token = await serve();
      const headers = { 'x-api-key': account.apiKey };
      const [client, other] = [await connect(token, headers), await connect(token, headers)];
      const [key, email, before] = [randomUUID(), `${randomUUID()}@example.com`, await executions()];
      const first = await callWith(client, key, email);
      expect(first.isError ?? false, JSON.stringify(first)).toBe(false);
      expect(await callWith(client, key, email)).toEqual(first);
      expect(await callWith(other, key, email)).toEqual(first);
      expect(await executions()).toBe(before + 1);
      await expect(callWith(client, key, 'other@example.com')).rejects.toThrow('IDEMPOTENCY_CONFLICT');
      await expect(callWith(client, '', email)).rejects.toThrow('dev.fairlead/idempotencyKey');
      expect(await executions()).toBe(before + 1);
    },
  );

  it('runs once, however many of it arrive at once', async () => {
    const client = await connect(await serve(), { 'x-api-key': account.apiKey });
    const [key, email, before] = [randomUUID(), `${randomUUID()}@example.com`, await executions()];
    const calls = Array.from({ length: 10 }, () => callWith(client, key, email));
    const outcomes = await Promise.allSettled(calls);
    const refusals = outcomes.flatMap((it) => (it.status === 'rejected' ? [String(it.reason)] : []));
    expect(refusals.filter((text) => !text.includes('IDEMPOTENCY_IN_PROGRESS'))).toEqual([]);
    await callWith(client, key, email);
    expect(await executions()).toBe(before + 1);
  });

  it('is refused from a client without a credential', async () => {
    const client = await connect(await serve({ isAnonymousAllowed: true }), {});
    const before = await executions();
    await expect(callWith(client, 'key', 'a@example.com')).rejects.toThrow('credential');
    expect(await executions()).toBe(before);
  });
});
