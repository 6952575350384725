import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { encodeConnector } from '@fairlead/connector-model/codec';
import { parseConnector } from '@fairlead/connector-model/parse-connector';
import type { CallOptions, ToolOutcome } from '../call.ts';
import { McpDiscoveryError } from '../runtime.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testField,
  testMethod,
  testOptions,
  testTool,
  toolsIn,
} from '../testing/calls.ts';
import { startEverythingServer } from '../testing/everything-server.ts';
import type { EverythingServer } from '../testing/everything-server.ts';
import { startTestServer } from '../testing/http-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import type { TestResponse, ReceivedRequest, TestServer } from '../testing/http-server.ts';

const runtime = testWorkerRuntime();
/** On a busy machine, the server may get no CPU for long. */
const WAIT = { timeout: 90_000 };
const connector = testConnector({ slug: 'mcp', name: 'MCP server', kind: 'MCPClient' });
const none = testMethod({ type: 'none' }, { test: { type: 'mcp' } });
const bearer = testMethod({ type: 'bearer', token: '{{field.token}}' }, { test: { type: 'mcp' } });

function targetOf({ path, query }: ReceivedRequest): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

async function discover(serverUrl: string, options: Partial<CallOptions> = {}) {
  const credential = testCredential({ serverUrl });
  const found = await runtime.discoverMcpTools(connector, none, credential, testOptions(options));
  const { serverName, serverVersion } = found;
  return { serverName, serverVersion, tools: toolsIn(found) };
}

function execute(
  serverUrl: string,
  toolName: string,
  fields: JsonObject,
  options: Partial<CallOptions> = {},
): Promise<ToolOutcome> {
  const call = testCall(testTool({ type: 'mcp', toolName }), {
    connector,
    method: none,
    credential: testCredential({ serverUrl }),
    fields,
  });
  return runtime.execute(call, testOptions(options));
}

describe('with the reference server', () => {
  let server: EverythingServer;
  beforeAll(async () => {
    server = await startEverythingServer();
  });
  afterAll(() => server.close());

  it('reads its tools with slugs, object schemas and hints', async () => {
    const { serverName, serverVersion, tools } = await discover(server.url);
    expect(serverName).not.toBe('');
    expect(serverVersion).not.toBe('');
    const byName = new Map(tools.map((tool: ToolDefinition) => [tool.toolSlug, tool]));
    expect(byName.get('echo')).toMatchObject({
      execution: { type: 'mcp', toolName: 'echo' },
      inputSchema: { type: 'object', required: ['message'] },
    });
    expect(byName.get('get-structured-content')?.outputSchema).toMatchObject({
      type: 'object',
      properties: { temperature: { type: 'number' } },
    });
    expect(byName.get('echo')?.outputSchema).toMatchObject({ properties: { content: { type: 'array' } } });
    for (const tool of tools) expect(tool.inputSchema['type']).toBe('object');
  });

  it('discovers which tools the server runs only as tasks', async () => {
    const { tools } = await discover(server.url);
    const tasks = tools.filter(({ execution }) => execution.type === 'mcp' && execution.isTask === true);
    expect(tasks.map(({ toolSlug }) => toolSlug)).toEqual(['simulate-research-query']);
  });

  it('discovers the same versions again, so that no tool seems changed', async () => {
    expect(await discover(server.url)).toEqual(await discover(server.url));
  });

  it('returns content, or structured content if the tool has it', async () => {
    expect(await execute(server.url, 'echo', { message: 'hello' })).toEqual({
      isSuccess: true,
      output: { content: [{ type: 'text', text: 'Echo: hello' }] },
      attempts: 1,
    });
    expect(await execute(server.url, 'get-structured-content', { location: 'Chicago' })).toMatchObject({
      isSuccess: true,
      output: { temperature: expect.any(Number) as number, conditions: expect.any(String) as string },
    });
  });

  it('returns the text of a tool error', async () => {
    expect(await execute(server.url, 'echo', {})).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('message') as string,
      isUnauthorized: false,
    });
    expect(await execute(server.url, 'no-such-tool', {})).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('no-such-tool') as string,
    });
  });

  it('ends every session it opens', async () => {
    const before = server.lines.length;
    await execute(server.url, 'echo', { message: 'bye' });
    await vi.waitFor(() => {
      const lines = server.lines.slice(before);
      const opened = lines.filter((line) => line.startsWith('Session initialized'));
      expect(opened).toHaveLength(1);
      const id = opened[0]?.split(' ').at(-1) ?? '';
      expect(lines.filter((line) => line.includes('termination request') && line.includes(id))).toHaveLength(
        1,
      );
    }, WAIT);
  });

  it('stops at the deadline and on cancellation', async () => {
    const slow = { duration: 30, steps: 30 };
    expect(
      await execute(server.url, 'trigger-long-running-operation', slow, { timeoutMs: 500 }),
    ).toMatchObject({ isSuccess: false, errorMessage: 'MCP server did not respond within 500 ms.' });

    const controller = new AbortController();
    const before = server.lines.length;
    const cancelled = execute(server.url, 'trigger-long-running-operation', slow, {
      signal: controller.signal,
    });
    await vi.waitFor(() => {
      expect(server.lines.slice(before).filter((line) => line.includes('POST')).length).toBeGreaterThan(2);
    }, WAIT);
    controller.abort();
    expect(await cancelled).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
  });

  it('passes the credential test by the handshake', async () => {
    const credential = testCredential({ serverUrl: server.url });
    expect(await runtime.testCredential(connector, none, credential, testOptions())).toEqual({
      isSuccess: true,
    });
  });
});

describe('with faulty servers', () => {
  const servers: TestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const start = async (
    respond: (request: ReceivedRequest) => TestResponse | Promise<TestResponse>,
  ): Promise<TestServer> => {
    const server = await startTestServer(respond);
    servers.push(server);
    return server;
  };

  it('sends the bearer token to the server, and reports one that is refused', async () => {
    const server = await start(() => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }));
    const credential = testCredential({ serverUrl: server.url, token: 'wrong' }, { secrets: ['wrong'] });
    expect(await runtime.testCredential(connector, bearer, credential, testOptions())).toEqual({
      isSuccess: false,
      errorMessage: 'The MCP server refused the credential.',
      isUnauthorized: true,
    });
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer wrong')).toBe(true);
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it.each([
    ['a web page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 'as an MCP server'],
    ['other JSON', { body: { hello: 1 } }, 'as an MCP server'],
    ['no JSON at all', { headers: { 'content-type': 'application/json' }, body: '{' }, 'as an MCP server'],
    ['not found', { status: 404, body: 'nothing here' }, 'HTTP status 404'],
    ['an error', { status: 500, body: 'oops' }, 'HTTP status 500'],
    ['a cut connection', { destroy: true as const }, 'closed the connection'],
    [
      'a missing scope',
      { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } },
      'requires a scope that the credential does not have. Sign in again',
    ],
    [
      'a missing scope that it names',
      {
        status: 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:read files:write"' },
      },
      'does not have (files:read files:write). Sign in again to grant it.',
    ],
    [
      'a missing scope that is none',
      { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="<b\\>é"' } },
      'does not have. Sign in again',
    ],
    ['a redirect', { status: 307, headers: { location: 'https://example.com/' } }, 'HTTP status 307'],
  ])('fails discovery and calls with a message for people: %s', async (_name, response, text) => {
    const server = await start(() => response);
    const failure = await discover(server.url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(McpDiscoveryError);
    expect(failure).toMatchObject({ message: expect.stringContaining(text) as string });
    expect(await execute(server.url, 'echo', {})).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(text) as string,
      isUnauthorized: false,
    });
  });

  it('stops on cancellation before the server has answered anything', async () => {
    const abort = new AbortController();
    const server = await start(() => new Promise<TestResponse>(() => undefined));
    const cancelled = execute(server.url, 'echo', {}, { signal: abort.signal, timeoutMs: 600_000 });
    await vi.waitUntil(() => server.requests.length === 1, WAIT);
    abort.abort();
    expect(await cancelled).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
  });

  it('does not wait for a silent server beyond the deadline', async () => {
    const server = await start(() => new Promise<TestResponse>(() => undefined));
    await expect(discover(server.url, { timeoutMs: 100 })).rejects.toThrow(
      /did not respond (?:within 100 ms|in time)/,
    );
  });

  it('does not read an endless response', async () => {
    const server = await start(() => ({
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(9 * 1024 * 1024).fill(0x20),
    }));
    await expect(discover(server.url)).rejects.toThrow('larger than 8 MiB');
  });

  /** Answers the handshake and the tool list of a server with this description. */
  const serverOf =
    (serverInfo: JsonObject, tools: readonly JsonObject[]) =>
    ({ method, body }: ReceivedRequest): TestResponse => {
      if (method !== 'POST') return { status: 405 };
      const {
        id,
        method: rpc,
        params,
      } = JSON.parse(body) as {
        id?: number;
        method: string;
        params?: { protocolVersion?: string };
      };
      if (id === undefined) return { status: 202 };
      const protocolVersion = params?.protocolVersion ?? '';
      const results: Record<string, JsonObject> = {
        initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo },
        'tools/list': { tools },
      };
      const result = results[rpc];
      const error = { code: -32_601, message: 'Method not found' };
      return { body: { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) } };
    };

  it('keeps the part of a server’s texts that the catalogue accepts, and the server stays usable', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100; level += 1) deep = { not: deep };
    const large = { type: 'object', properties: { a: { description: 'x'.repeat(70_000) } } };
    const plain = { type: 'object' };
    const { url } = await start(
      serverOf({ name: `loud\n${'n'.repeat(5000)}`, version: 'v'.repeat(500) }, [
        { name: 'large', title: '', inputSchema: large, outputSchema: large },
        { name: 'deep', inputSchema: { ...plain, ...deep } },
        { name: '', inputSchema: plain },
        { name: 'n'.repeat(600), inputSchema: plain },
        ...Array.from({ length: 1500 }, (_, index) => ({ name: `tool-${index}`, inputSchema: plain })),
      ]),
    );
    const { serverName, serverVersion, tools } = await discover(url);
    const asInManifest = {
      ...none,
      fields: [testField('serverUrl', { description: 'Where it is.', isRequired: true })],
    };
    expect(serverName).toBe(`loud ${'n'.repeat(295)}`);
    expect(serverVersion).toBe('v'.repeat(300));
    expect(tools.slice(0, 3).map(({ toolName }) => toolName)).toEqual(['large', 'deep', 'tool-0']);
    const taken = parseConnector(
      encodeConnector(
        { ...connector, authenticationMethods: [asInManifest], name: serverName },
        Buffer.from(JSON.stringify(tools)),
      ),
    );
    expect(taken.tools).toHaveLength(1000);
  });

  it.each(['/mcp/', '/mcp', '/mcp?workspace=a%20b', '/'])(
    'asks at the address to the letter: %s',
    async (path) => {
      const server = await start(serverOf({ name: 'x', version: '1' }, []));
      await discover(new URL(path, server.url).href);
      const asked = server.requests.filter(({ method }) => method === 'POST');
      expect(asked.length).toBeGreaterThan(0);
      for (const request of asked) expect(targetOf(request)).toBe(path.replace('%20', '+'));
    },
  );

  it.each(['ftp://example.com/mcp', 'example.com/mcp', 'https://user:pw@example.com/mcp', ''])(
    'refuses %j as an address',
    async (address) => {
      await expect(discover(address)).rejects.toThrow('server URL must');
    },
  );

  it('refuses an address that the egress guard blocks', async () => {
    await expect(discover('http://10.0.0.1/mcp')).rejects.toThrow(McpDiscoveryError);
  });
});
