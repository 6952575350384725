import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { askText } from '../conformance/suite/questions.ts';
import { startSuiteServer } from '../conformance/suite/server.ts';
import type { SuiteServer } from '../conformance/suite/server.ts';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { get, post, stack } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

type Wire = 'HTTP+SSE' | 'Streamable HTTP' | '2026-07-28';

const WIRES: readonly Wire[] = ['HTTP+SSE', 'Streamable HTTP'];

let upstream: SuiteServer;
/** The upstream server for version 2026-07-28. */
let latest: SuiteServer;
let account: TestAccount;
let token: string;
let latestToken: string;
beforeAll(async () => {
  [upstream, latest, account] = await Promise.all([
    startSuiteServer('sessions', addAskingResource),
    startSuiteServer('stateless', addAskingResource),
    createAccount(),
  ]);
  ({ token } = await serve(upstream.url, 'Asking'));
  ({ token: latestToken } = await serve(latest.url, 'Latest'));
});
afterAll(async () => {
  await removeAccount(account);
  await Promise.all([upstream.close(), latest.close()]);
});

/** A resource whose server first sends a request to the reader. */
function addAskingResource(mcp: McpServer): void {
  const uri = 'test://asking';
  mcp.registerResource('asking', uri, { title: 'Asks first' }, (_uri, { mcpReq }) => {
    const told = acceptedContent(mcpReq.inputResponses, 'reader');
    return told === undefined
      ? inputRequired({ inputRequests: { reader: askText('Who reads?', 'name') } })
      : { contents: [{ uri, text: `For ${String(told['name'])}` }] };
  });
}

/** A new server that serves all tools of another one. */
async function serve(serverUrl: string, connectionName: string) {
  const { id: connectionId } = await createConnection(
    { applicationSlug: 'mcp', connectionName, authenticationId: 0, fields: { serverUrl } },
    account.apiKey,
  );
  const body = { name: connectionName, schemas: 'original', connections: [{ connectionId }] };
  const { mcpServerToken } = expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body;
  return { connectionId, token: String(mcpServerToken) };
}

/** A client that answers every request, and the names of these requests. */
async function connect(wire: Wire, at = token) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode: wire === '2026-07-28' ? { pin: wire } : 'legacy' },
    },
  );
  onTestFinished(() => client.close());
  const asked: string[] = [];
  const logged: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { response: 'blue', name: 'Ada', context: 'Ulm' } };
  });
  client.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling');
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'Paris' } };
  });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///home', name: 'Home' }] };
  });
  client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data));
  const address = new URL(`${stack.mcpUrl}/${at}/${wire === 'HTTP+SSE' ? 'sse' : 'mcp'}`);
  const o = { requestInit: { headers: { 'x-api-key': account.apiKey } } };
  await client.connect(
    wire === 'HTTP+SSE'
      ? // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport, too
        new SSEClientTransport(address, o)
      : new StreamableHTTPClientTransport(address, o),
  );
  return { client, asked, logged };
}

describe.each(WIRES)('A client of %s', (wire) => {
  row(
    'completion.mcp-servers.18',
    'is asked what the server behind ours asks of it, and the call gets its answers',
    async () => {
      const { client, asked } = await connect(wire);
      const call = async (name: string, args: Record<string, unknown>) =>
        JSON.stringify(await client.callTool({ name, arguments: args }));
      expect(await call('test_elicitation', { message: 'Which color?' })).toContain('blue');
      expect(await call('test_sampling', { prompt: 'Which capital?' })).toContain('Paris');
      expect(await call('test_input_required_result_list_roots', {})).toContain('file:///home');
      expect(asked).toEqual(['Which color?', 'sampling', 'roots']);
    },
  );

  row('completion.mcp-servers.18', 'gets the progress and the log messages of a call', async () => {
    const { client, logged } = await connect(wire);
    const progress: number[] = [];
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: (report) => void progress.push(report.progress) },
    );
    expect(progress).toEqual([0, 50, 100]);
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'test_tool_with_logging', arguments: {} });
    expect(logged).toEqual([]);
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'test_tool_with_logging', arguments: {} });
    expect(logged).toHaveLength(3);
  });

  row('completion.mcp-servers.18', 'cancels a call, also at the server behind ours', async () => {
    const called = Promise.withResolvers<void>();
    const waiting = await startTestMcpServer(({ id, method }) => {
      if (method === 'tools/list')
        return { body: mcpResult(id, { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }) };
      if (method !== 'tools/call') return { status: 404 };
      called.resolve();
      return new Promise(() => undefined);
    });
    onTestFinished(() => waiting.close());
    const server = await serve(waiting.url, `Waiting ${wire}`);
    const { client } = await connect(wire, server.token);
    const { tools } = await client.listTools();
    const abort = new AbortController();
    const call = client.callTool({ name: tools[0]?.name ?? '', arguments: {} }, { signal: abort.signal });
    void called.promise.then(() => abort.abort());
    await expect(call).rejects.toThrow('abort');
    // An aborted call leaves its reason.
    const reasons = async (): Promise<unknown[]> =>
      expectStatus(
        await get(`/v1/executions?connectionId=${server.connectionId}`, account),
        200,
      ).body.items.map(({ errorMessage }: { readonly errorMessage: unknown }) => errorMessage);
    await expect.poll(reasons).toEqual(['The call was cancelled.']);
    // The session continues.
    expect((await client.listTools()).tools).toEqual(tools);
  });
});

describe.each([...WIRES, '2026-07-28'] as const)('A client of %s', (wire) => {
  row(
    'completion.mcp-servers.18',
    'is asked what prompts and resources need, of a server of each version, and gets them',
    async () => {
      for (const at of [token, latestToken]) await readAsking(wire, at);
    },
  );
});

/** Gets a prompt and a resource whose servers first send requests. */
async function readAsking(wire: Wire, at: string): Promise<void> {
  const { client, asked } = await connect(wire, at);
  // Generous: a busy machine may take long for the first reading of the lists.
  const prompts = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
  const name = 'test_input_required_result_prompt';
  await expect.poll(prompts, { timeout: 90_000 }).toContain(name);
  expect(JSON.stringify(await client.getPrompt({ name }))).toContain('the following context: Ulm');
  const { contents } = await client.readResource({ uri: 'test://asking' });
  expect(contents).toEqual([{ uri: 'test://asking', text: 'For Ada' }]);
  expect(asked).toEqual(['In which context?', 'Who reads?']);
}
