import { randomBytes } from 'node:crypto';
import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { McpMessage, TestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestResponse, TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { get, post, stack } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';

const MIB = 1024 * 1024;
const TOKEN = 'token-of-the-upstream-4711';
const TEXT = `Begins with é. ${'All work and no play. '.repeat(150_000)}Ends with ${TOKEN}.`;
const IMAGE = randomBytes(2 * MIB);
const ROWS = Array.from({ length: 12_000 }, (_row, id) => ({ id, note: 'n'.repeat(90), tags: ['a', 'b'] }));
const rowSchema = (more: object) => ({
  type: 'object',
  properties: {
    rows: { type: 'array', items: { type: 'object', required: ['id', 'note', 'tags'] } },
    count: { type: 'number' },
  },
  required: ['rows', 'count'],
  ...more,
});

/** Results of the upstream's tools, by name. */
const RESULTS: Readonly<Record<string, object>> = {
  text: { content: [{ type: 'text', text: TEXT }] },
  picture: {
    content: [
      { type: 'text', text: 'A picture:' },
      { type: 'image', data: IMAGE.toString('base64'), mimeType: 'image/png' },
      { type: 'text', text: 'That was it.' },
    ],
  },
  csv: {
    content: [
      {
        type: 'resource',
        resource: { uri: 'own://csv', mimeType: 'text/csv', text: 'a;b\n'.repeat(400_000) },
      },
    ],
  },
  blocks: {
    content: Array.from({ length: 8_000 }, (_block, at) => ({
      type: 'text',
      text: `${at} ${'x'.repeat(150)}`,
    })),
  },
  rows: { content: [], structuredContent: { rows: ROWS, count: ROWS.length } },
  'strict-rows': { content: [], structuredContent: { rows: ROWS, count: ROWS.length } },
  just: { content: [{ type: 'text', text: 'j'.repeat(MIB - 100) }] },
  failed: { content: [{ type: 'text', text: 'f'.repeat(2 * MIB) }], isError: true },
};
const SCHEMAS: Readonly<Record<string, object>> = {
  rows: rowSchema({}),
  'strict-rows': rowSchema({ additionalProperties: false }),
};

let account: TestAccount;
let upstream: TestMcpServer;
let vendor: TestServer;
let url: string;
/** The same server for anonymous clients. */
let anonymousUrl: string;
/** Bytes that the upstream has sent of an endless result after its reader has stopped. */
const gone = Promise.withResolvers<number>();

function respond({ id, method, params }: McpMessage): TestResponse {
  const name = params?.name ?? '';
  switch (method) {
    case 'tools/list': {
      const tools = [...Object.keys(RESULTS), 'huge', 'endless'].map((tool) => ({
        name: tool,
        inputSchema: { type: 'object' as const },
        ...(SCHEMAS[tool] && { outputSchema: SCHEMAS[tool] }),
      }));
      return { body: { jsonrpc: '2.0', id, result: { tools } } };
    }
    case 'tools/call':
      if (name === 'huge')
        return { body: mcpResult(id, { content: [{ type: 'text', text: 'h'.repeat(12 * MIB) }] }) };
      if (name === 'endless') {
        const headers = { 'content-type': 'application/json' };
        const body = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`;
        return { headers, body, endless: { part: 'e'.repeat(64 * 1024), onGone: gone.resolve } };
      }
      return { body: { jsonrpc: '2.0', id, result: RESULTS[name] } };
    default:
      return { status: 404 };
  }
}

beforeAll(async () => {
  [account, upstream, vendor] = await Promise.all([
    createAccount(),
    startTestMcpServer(respond),
    startTestServer(() => ({ body: { rows: ROWS } })),
  ]);
  const own = await createConnection(
    {
      applicationSlug: 'mcp',
      connectionName: 'Upstream',
      authenticationId: 1,
      fields: { serverUrl: upstream.url, token: TOKEN },
    },
    account.apiKey,
  );
  const http = await createConnection(
    { applicationSlug: 'http', connectionName: 'HTTP', authenticationId: 0 },
    account.apiKey,
  );
  const steps = ['a', 'b'].map((id) => ({ id, toolSlug: 'just', connectionId: own.id, fields: {} }));
  const workflow = await post('/v1/workflows', { name: 'Twice', slug: 'twice', steps }, account);
  const { workflowToken } = expectStatus(workflow, 201).body;
  const members = {
    name: 'Large',
    connections: [{ connectionId: own.id }, { connectionId: http.id }],
    workflows: [{ workflowToken }],
  };
  const serve = async (more: object) => {
    const made = await post('/admin/v1/mcpservers', { ...members, ...more }, account);
    return `${stack.mcpUrl}/${expectStatus(made, 201).body.mcpServerToken}/mcp`;
  };
  url = await serve({});
  anonymousUrl = await serve({ isAnonymousAllowed: true });
});
afterAll(async () => {
  await removeAccount(account);
  await Promise.all([upstream.close(), vendor.close()]);
});

async function open(mode: 'sse' | 'legacy' | 'auto' | 'anonymous' = 'legacy'): Promise<Client> {
  const requestInit = mode === 'anonymous' ? {} : { headers: { 'x-api-key': account.apiKey } };
  const versionNegotiation = { mode: mode === 'auto' ? ('auto' as const) : ('legacy' as const) };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  onTestFinished(() => client.close());
  const Transport =
    mode === 'sse'
      ? // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport
        SSEClientTransport
      : StreamableHTTPClientTransport;
  await client.connect(new Transport(new URL(mode === 'anonymous' ? anonymousUrl : url), { requestInit }));
  // The client validates results against the output schemas that it has listed.
  await client.listTools();
  return client;
}

const callOf =
  (client: Client) =>
  (name: string, args = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });

/** The file to which a result links once, and which its text names. */
async function fileOf({ content, _meta }: CallToolResult) {
  const links = content.filter((block) => block.type === 'resource_link');
  expect(links).toHaveLength(1);
  const [link] = links;
  const uri = link?.uri ?? '';
  expect(content.some((block) => block.type === 'text' && block.text.includes(uri))).toBe(true);
  const answer = await fetch(uri);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(link).toMatchObject({ mimeType: answer.headers.get('content-type'), size: bytes.length });
  const fileId = new URL(uri).pathname.split('/').at(-2);
  expect(_meta).toMatchObject({ 'dev.fairlead/files': [{ fileId, url: uri }] });
  const record = expectStatus(await get(`/v1/files/${fileId}`, account), 200).body;
  expect(record).toMatchObject({ sizeBytes: bytes.length, contentType: link?.mimeType });
  return { bytes, type: link?.mimeType };
}

const sizeOf = (result: unknown): number => Buffer.byteLength(JSON.stringify(result));
const textsOf = ({ content }: CallToolResult) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []));

describe('A result above 1 MiB', () => {
  it.each(['sse', 'legacy', 'auto', 'anonymous'] as const)(
    'is a file of the account, masked, beside its beginning (%s)',
    async (mode) => {
      const result = await callOf(await open(mode))('text');
      const { bytes, type } = await fileOf(result);
      expect(type).toBe('text/plain; charset=utf-8');
      expect(bytes.toString()).toBe(TEXT.replace(TOKEN, '***'));
      const [beginning = '', note] = textsOf(result);
      expect(sizeOf(result)).toBeLessThan(32 * 1024);
      const kept = beginning.replace(/ \[cut: \d+ more characters\]$/, '');
      expect(kept.length).toBeGreaterThan(10_000);
      expect(TEXT.startsWith(kept)).toBe(true);
      expect(note).toMatch(/^The call succeeded\. This is a preview/);
      expect(result.isError).toBeUndefined();
    },
  );

  it('has images as files in their places, and the rest whole', async () => {
    const result = await callOf(await open())('picture');
    const { bytes, type } = await fileOf(result);
    expect(type).toBe('image/png');
    expect(bytes.equals(IMAGE)).toBe(true);
    expect(result.content.map((block) => block.type)).toEqual(['text', 'text', 'resource_link', 'text']);
    expect(textsOf(result)).toEqual([
      'A picture:',
      expect.stringContaining('image/png, 2.00 MiB'),
      'That was it.',
    ]);
  });

  it('is one file, whatever its content consists of', async () => {
    const call = callOf(await open());
    const csv = await fileOf(await call('csv'));
    expect(csv.type).toBe('text/csv');
    expect(csv.bytes.length).toBe(1_600_000);
    const blocks = await call('blocks');
    const { bytes, type } = await fileOf(blocks);
    expect(type).toBe('application/json');
    expect(JSON.parse(bytes.toString())).toEqual(RESULTS['blocks']);
    expect(textsOf(blocks).slice(0, 2)).toEqual([
      expect.stringMatching(/^0 x+$/),
      expect.stringMatching(/^1 x+$/),
    ]);
  });

  it('has structured content that fits its schema and says that it was cut; otherwise the result says so as an error', async () => {
    const call = callOf(await open());
    const result = await call('rows');
    expect(JSON.parse((await fileOf(result)).bytes.toString())).toEqual(RESULTS['rows']);
    const { rows, count, ...others } = result.structuredContent as {
      readonly rows: readonly object[];
      readonly count: number;
    };
    expect(count).toBe(ROWS.length);
    expect(rows.length).toBeGreaterThan(50);
    expect(rows).toEqual(ROWS.slice(0, rows.length));
    expect(others).toEqual({ '[cut]': expect.stringContaining('This is a preview') });
    const strict = await call('strict-rows');
    await fileOf(strict);
    expect(strict).toMatchObject({ isError: true });
    expect(strict.structuredContent).toBeUndefined();
    expect(textsOf(strict)[0]).toMatch(/^The call succeeded/);
  });

  it('of a tool of the catalogue is its output', async () => {
    const result = await callOf(await open())('http-send-request', { url: `${vendor.url}/rows` });
    const { bytes } = await fileOf(result);
    expect(JSON.parse(bytes.toString())).toMatchObject({ status: 200, body: { rows: ROWS } });
    const { status, body } = result.structuredContent as {
      readonly status: number;
      readonly body: { readonly rows: readonly object[] };
    };
    expect(status).toBe(200);
    expect(body.rows).toEqual(ROWS.slice(0, body.rows.length));
    expect(body.rows.length).toBeGreaterThan(50);
  });

  it('of a workflow is the outputs of its steps', async () => {
    const result = await callOf(await open())('twice');
    expect(JSON.parse((await fileOf(result)).bytes.toString())).toEqual({
      a: RESULTS['just'],
      b: RESULTS['just'],
    });
    expect(result.structuredContent).toMatchObject({ a: { content: [{ type: 'text' }] } });
  });

  it('leaves smaller results, failures and REST as they are, and the history has the beginning', async () => {
    const call = callOf(await open());
    expect(await call('just')).toEqual(RESULTS['just']);
    const failed = await call('failed');
    expect(failed.isError).toBe(true);
    expect(sizeOf(failed)).toBeLessThan(MIB);
    const rest = await post('/v1/tools/text/execute', { fields: {} }, account);
    expect(expectStatus(rest, 200).body).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('larger than 1 MiB'),
    });
    await call('text');
    const { items } = expectStatus(await get('/v1/executions?toolSlug=text&top=1', account), 200).body;
    expect(items).toMatchObject([{ isSuccess: true, executionInfo: { source: 'mcp' } }]);
    const kept = JSON.stringify(items[0].output);
    expect(kept.length).toBeLessThan(300_000);
    expect(kept).toContain('[cut: ');
    expect(kept).not.toContain('/v1/files/');
    await call('picture');
    const pictures = expectStatus(await get('/v1/executions?toolSlug=picture&top=1', account), 200).body
      .items;
    expect(pictures[0].output.content[1]).toEqual({
      type: 'image',
      mimeType: 'image/png',
      data: `[cut: ${IMAGE.length} bytes]`,
    });
  });

  it('fails above the limit of a response, which the error names', async () => {
    const result = await callOf(await open())('huge');
    expect(result.isError).toBe(true);
    expect(textsOf(result)).toEqual([expect.stringContaining('larger than 8 MiB')]);
  });

  it('is read no further than that: one without an end is broken off, and its server goes on being served', async () => {
    const call = callOf(await open());
    expect(textsOf(await call('endless'))).toEqual([expect.stringContaining('larger than 8 MiB')]);
    // Beyond the limit, only the sockets' buffers are filled.
    expect(await gone.promise).toBeLessThan(24 * MIB);
    expect(await call('just')).toEqual(RESULTS['just']);
  });
});
