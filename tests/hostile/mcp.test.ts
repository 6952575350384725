import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../bench/child.ts';
import { createAccount, createUser, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { call, get, post } from '../contract/support/api.ts';
import type { Answer, CallOptions } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { startBystander } from './support/bystander.ts';
import type { Bystander } from './support/bystander.ts';
import { areFiguresMeasured, times } from './support/figures.ts';
import { openMcpTarget } from './support/mcp-target.ts';
import type { McpTarget } from './support/mcp-target.ts';
import { expectServedNeighbour } from './support/neighbour.ts';
import { othersServedDuring, whileOthersAreServed } from './support/observe.ts';
import { openToolServers } from './support/tool-servers.ts';
import type { ToolServers } from './support/tool-servers.ts';

const MIB = 1024 * 1024;
const REPEATS = times(2, 8);
const BATCH = 10_000;
const TOOLS = 1_000;
/** Maximum number of tools and bytes of one page of a list. */
const PAGE_TOOLS = 1_000;
const PAGE_BYTES = MIB;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hostile', version: '1' } },
};

let account: TestAccount;
let target: McpTarget;
let bystander: Bystander;
let toolServers: ToolServers;
beforeAll(async () => {
  account = await createAccount();
  target = await openMcpTarget(account);
  toolServers = openToolServers();
  bystander = await startBystander();
});
afterAll(async () => {
  await bystander.stop();
  await toolServers.close();
  await target.close();
  await removeAccount(account);
});

const send = (url: string, message: unknown, options: CallOptions = account): Promise<Answer> =>
  call('POST', url, { ...options, body: message });

const raw = (text: string): Promise<Answer> =>
  call('POST', target.url, { ...account, raw: text, headers: { 'content-type': 'application/json' } });

/** Repeats a call while others are served. */
function repeat(one: () => Promise<Answer>): Promise<readonly Answer[]> {
  return whileOthersAreServed(bystander, Array<typeof one>(REPEATS).fill(one));
}

/** The remaining calls of the hour, from a response's header. */
function hourlyLeft({ headers }: Answer): number {
  return Number(/"hourly";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

async function calledTools(): Promise<number> {
  return Number(expectStatus(await get('/v1/executions?top=1', account), 200).body.totalCount);
}

describe('a session id', () => {
  const startSession = async (url: string, options: CallOptions = account): Promise<string> =>
    expectStatus(await send(url, INITIALIZE, options), 200).headers.get('mcp-session-id') ?? '';

  const inSession = (id: string, options: CallOptions = account) => ({
    ...options,
    headers: { 'mcp-session-id': id, accept: 'application/json, text/event-stream' },
  });

  /** Every use of the id gets the same 404. */
  async function expectUnknown(id: string, options: CallOptions = account): Promise<void> {
    const used = inSession(id, options);
    const messages = `${target.url.replace(/\/mcp$/, '/messages')}?sessionId=${encodeURIComponent(id)}`;
    const answers = [
      await send(target.url, LIST, used),
      await call('GET', target.url, used),
      await call('DELETE', target.url, used),
      await send(messages, LIST, options),
    ];
    for (const { status, body } of answers)
      expect({ id, status, code: body.error.data.errorCode }).toEqual({ id, status: 404, code: 'NOT_FOUND' });
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  }

  it('of another server, of another user, forged or cut opens nothing, and the session goes on', async () => {
    const id = await startSession(target.url);
    const { apiKey } = await createUser(account, { role: 'developer' });
    const colleague = { apiKey };
    const [version = '', payload = '', mac = ''] = id.split('.');
    const flipped = (text: string, at: number): string =>
      `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    const others = [
      await startSession(await target.openAnother()),
      await startSession(target.url, colleague),
      `${version}.${payload}.${'A'.repeat(mac.length)}`,
      `${version}.${flipped(payload, 0)}.${mac}`,
      `${version}.${payload}.${flipped(mac, 0)}`,
      // The last character has bits that are not part of any byte.
      `${version}.${payload}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'B' : 'A'}`,
      `${version}x.${payload}.${mac}`,
      `${payload}.${mac}`,
      ...[1, id.length / 2, id.length - 1].map((length) => id.slice(0, length)),
      `${id}${id}`,
      'x'.repeat(8_000),
    ];
    for (const other of others) await expectUnknown(other);
    await expectUnknown(id, colleague);
    expectStatus(await send(target.url, LIST, inSession(id)), 200);
    expectStatus(await call('DELETE', target.url, inSession(id)), 204);
    await expectUnknown(id);
  });
});

describe('a body', () => {
  it('that names another tool than Mcp-Name is refused, and nothing is executed', async () => {
    const before = await calledTools();
    const version = '2026-07-28';
    const message = (name: string): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: { url: '/' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    const named = (name: string, method = 'tools/call'): CallOptions => ({
      ...account,
      headers: { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name },
    });
    const { tool } = target;
    const refused: readonly [string, CallOptions][] = [
      [tool, named('another-tool')],
      ['another-tool', named(tool)],
      [tool, named('=?base64?!?=')],
      [tool, named(tool, 'tools/list')],
      [tool, { ...account, headers: { 'mcp-protocol-version': version, 'mcp-method': 'tools/call' } }],
    ];
    for (const [name, options] of refused) {
      const answers = await repeat(() => send(target.url, message(name), options));
      for (const answer of answers)
        expect([answer.status, answer.body.error?.code], answer.text).toEqual([400, -32_020]);
    }
    expect(await calledTools()).toBe(before);
    expectStatus(await send(target.url, message(tool), named(tool)), 200);
    expect(await calledTools()).toBe(before + 1);
  });

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const notification = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
  const callOf = (): object => ({
    ...LIST,
    method: 'tools/call',
    params: { name: target.tool, arguments: { url: '/' } },
  });
  it.each<[string, () => object]>([
    ['pings', () => ping],
    ['notifications', () => notification],
    ['lists', () => LIST],
    ['calls of a tool', callOf],
  ])(`with a batch of ${BATCH} %s is refused as a whole`, async (_name, messageOf) => {
    const before = await calledTools();
    const left = hourlyLeft(await send(target.url, ping));
    const text = JSON.stringify(Array.from({ length: BATCH }, messageOf));
    for (const answer of await repeat(() => raw(text))) {
      expect([answer.status, answer.body.error?.code], answer.text).toEqual([400, -32_600]);
      // It is not counted.
      expect(hourlyLeft(answer)).toBeGreaterThanOrEqual(left);
    }
    expect(await calledTools()).toBe(before);
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const names = (count: number): string =>
    `{${Array.from({ length: count }, (_name, at) => `"a${at}":1`).join()}}`;
  const message = (json: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"absent","arguments":{"a":${json}}}}`;
  const filled = (bytes: number): string => message(`"${'x'.repeat(bytes - message('""').length)}"`);
  // The other values, names and levels of the message count, too.
  it.each<[string, string, string]>([
    ['values', message(`[${'1,'.repeat(99_990)}1]`), message(`[${'1,'.repeat(100_000)}1]`)],
    ['different names', message(names(4_992)), message(names(5_001))],
    ['levels', message(nested(29)), message(nested(32))],
    ['bytes', filled(5 * MIB), filled(5 * MIB + 1)],
  ])('of as many %s as allowed is read, and one above is refused', async (_name, allowed, above) => {
    for (const answer of await repeat(() => raw(allowed))) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.error).toMatchObject({ code: -32_602, message: 'Unknown tool: absent' });
    }
    for (const answer of await repeat(() => raw(above)))
      expect([400, 413], answer.text.slice(0, 500)).toContain(answer.status);
  });

  it.each<[string, object]>([
    ['a tool’s name', { method: 'tools/call', params: { name: 'x'.repeat(4 * MIB) } }],
    ['a cursor', { method: 'tools/list', params: { cursor: 'x'.repeat(4 * MIB) } }],
    ['a method', { method: 'x'.repeat(4 * MIB) }],
    ['an id', { id: 'x'.repeat(4 * MIB), method: 'tools/list' }],
    ['a version', { method: 'initialize', params: { protocolVersion: 'x'.repeat(4 * MIB) } }],
  ])('with %s of 4 MiB is answered in few bytes', async (_name, members) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, ...members });
    for (const answer of await repeat(() => raw(text))) {
      expect([200, 400]).toContain(answer.status);
      expect(answer.text.length).toBeLessThan(2_000);
    }
  });
});

/** Serves 1 000 tools to the attacking account; returns the address. */
async function serveMany(): Promise<string> {
  const description = 'Creates a record in the workspace. '.repeat(20);
  const inputSchema = { type: 'object', properties: { title: { type: 'string', description } } };
  const tools = Array.from({ length: TOOLS }, (_tool, at) => ({
    name: `tool_${at}`,
    description,
    inputSchema,
  }));
  const connection = { ...(await toolServers.serve(tools)), connectionName: 'Many tools' };
  const { id } = expectStatus(await post('/v1/connections', connection, account), 201).body;
  return target.serve({ connectionId: id, tools: null });
}

it(`a list of ${TOOLS} tools comes in bounded pages, while another account is served`, async () => {
  const url = await serveMany();
  const readAll = async (): Promise<void> => {
    const names = new Set<string>();
    let cursor: string | undefined;
    do {
      const answer = expectStatus(
        await send(url, { ...LIST, params: cursor === undefined ? {} : { cursor } }),
        200,
      );
      const { tools, nextCursor } = answer.body.result;
      expect(tools.length).toBeLessThanOrEqual(PAGE_TOOLS);
      expect(answer.text.length).toBeLessThanOrEqual(PAGE_BYTES + 1_000);
      for (const { name } of tools) names.add(name);
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(names.size).toBe(TOOLS);
  };
  await othersServedDuring(bystander, () => Promise.all(Array.from({ length: times(2, 8) }, readAll)));
});

it.runIf(areFiguresMeasured)(
  `while 8 callers list ${TOOLS} tools in a loop, p95 of another account’s tool calls is below four times its own`,
  async () => {
    const url = await serveMany();
    const generator = await startChild('load-generator', { args: [] });
    onTestFinished(() => generator.stop());
    await expectServedNeighbour('tools/list', async (durationMs) => {
      const { calls, failures } = await generator.request({
        url,
        headers: { 'x-api-key': account.apiKey },
        body: JSON.stringify(LIST),
        callers: 8,
        durationMs,
      });
      expect(failures).toBe(0);
      return calls;
    });
  },
);
