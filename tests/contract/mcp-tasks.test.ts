import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import { post, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';

const FAIL = 'sandbox-crm-simulate-failure';
const PATIENCE = { timeout: 90_000 };

let account: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  [account, other] = await Promise.all([createAccount(), createAccount()]);
});
afterAll(() => Promise.all([account, other].map(removeAccount)));

async function serve(connectionId: number, owner = account): Promise<string> {
  const body = { name: 'Tasks', isAnonymousAllowed: true, connections: [{ connectionId }] };
  const { mcpServerToken } = expectStatus(await post('/admin/v1/mcpservers', body, owner), 201).body;
  return `${stack.mcpUrl}/${mcpServerToken}/mcp`;
}

describe('A tool that its server runs only as a task', () => {
  it('is called by clients that know no tasks, over MCP and REST', async () => {
    const { id } = await createConnection(
      {
        applicationSlug: 'mcp',
        connectionName: 'Research',
        authenticationId: 0,
        fields: { serverUrl: stack.samples.mcpServerUrl },
      },
      account.apiKey,
    );
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(await serve(id))));
    const name = 'simulate-research-query';
    const fields = { topic: 'tides' };
    const path = `/v1/tools/${name}/execute?connectionId=${id}`;
    const [called, executed] = await Promise.all([
      client.callTool({ name, arguments: fields }),
      post(path, { fields }, account),
    ]);
    expect(called).not.toHaveProperty('isError');
    expect(JSON.stringify(called.content)).toContain('tides');
    const { isSuccess, output } = expectStatus(executed, 200).body;
    expect(isSuccess).toBe(true);
    expect(JSON.stringify(output)).toContain('tides');
  });
});

describe('A task', () => {
  it('whose tool failed has failed, and only its user finds it, at its server', async () => {
    const [{ id }, { id: foreign }] = (await Promise.all(
      [account, other].map(({ apiKey }) => createCrmConnection('Tasks', apiKey)),
    )) as [{ id: number }, { id: number }];
    const [url, second, elsewhere] = await Promise.all([serve(id), serve(id), serve(foreign, other)]);
    const colleague = await createUser(account, { role: 'admin' });
    const send = async (method: string, params: object, at = url, key: string | null = account.apiKey) => {
      const message = { jsonrpc: '2.0', id: 1, method, params };
      return expectStatus(await post(at, message, { apiKey: key }), 200).body;
    };
    const fields = { status: 422, message: 'It broke.' };
    const created = await send('tools/call', { name: FAIL, arguments: fields, task: {} });
    const { taskId } = created.result.task;
    const end = async (): Promise<unknown> => (await send('tasks/get', { taskId })).result.status;
    await expect.poll(end, PATIENCE).toBe('failed');
    const { result } = await send('tasks/result', { taskId });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain('It broke.');
    expect((await send('tasks/list', {})).result.tasks).toMatchObject([{ taskId, status: 'failed' }]);

    const strangers = [
      [url, colleague.apiKey],
      [url, null],
      [second, account.apiKey],
      [elsewhere, other.apiKey],
    ] as const;
    for (const [at, key] of strangers)
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        expect((await send(method, { taskId }, at, key)).error).toMatchObject({ code: -32_602 });
    for (const [at, key] of strangers.filter(([, credential]) => credential !== null))
      expect((await send('tasks/list', {}, at, key)).result).toEqual({ tasks: [] });
  });

  it('that has ended is told to its client on the stream of the session', async () => {
    const { id } = await createCrmConnection('Tasks', account.apiKey);
    const url = await serve(id);
    const headers = { 'x-api-key': account.apiKey };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    onTestFinished(() => client.close());
    const told: unknown[] = [];
    client.fallbackNotificationHandler = async (notification) => void told.push(notification);
    await client.connect(transport);
    const message = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: FAIL, arguments: { status: 422, message: 'It broke.' }, task: {} },
    };
    const session = { 'mcp-session-id': transport.sessionId ?? '' };
    const begun = await post(url, message, { ...account, headers: session });
    const { taskId } = expectStatus(begun, 200).body.result.task;
    await expect
      .poll(() => told, PATIENCE)
      .toMatchObject([{ method: 'notifications/tasks/status', params: { taskId, status: 'failed' } }]);
  });
});
