import { fromJsonSchema } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSuiteServer } from '../conformance/suite/server.ts';
import type { SuiteServer } from '../conformance/suite/server.ts';
import { createAccount, createUser, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { call, post } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { startBystander } from './support/bystander.ts';
import type { Bystander } from './support/bystander.ts';
import { startConversation } from './support/mcp-conversation.ts';
import type { McpConversation, Message } from './support/mcp-conversation.ts';
import { openMcpTarget } from './support/mcp-target.ts';
import type { McpTarget } from './support/mcp-target.ts';
import { othersServedDuring } from './support/observe.ts';
import { openToolServers } from './support/tool-servers.ts';
import type { ToolServers } from './support/tool-servers.ts';

const ATTEMPTS = 10;
const FLOOD = 10_000;
/** Concurrent posts that wait for their answers. */
const POSTERS = 16;
/** Concurrent calls whose server floods them. */
const FLOODED = 2;
const ANY = fromJsonSchema<Record<string, unknown>>({ type: 'object', properties: {} });
const PING = { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };

let account: TestAccount;
let target: McpTarget;
let upstream: SuiteServer;
let bystander: Bystander;
let toolServers: ToolServers;
let url: string;
beforeAll(async () => {
  account = await createAccount();
  target = await openMcpTarget(account);
  toolServers = openToolServers();
  upstream = await startSuiteServer('sessions', (mcp) => {
    mcp.registerTool('flood', { inputSchema: ANY }, async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 'forged';
      for (let progress = 0; progress < FLOOD; progress += 1) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: progress } });
      }
      return { content: [{ type: 'text', text: 'flooded' }] };
    });
  });
  url = await serve({ applicationSlug: 'mcp', authenticationId: 0, fields: { serverUrl: upstream.url } });
  bystander = await startBystander();
});
afterAll(async () => {
  await bystander.stop();
  await toolServers.close();
  await upstream.close();
  await target.close();
  await removeAccount(account);
});

async function serve(connection: object): Promise<string> {
  const { id } = expectStatus(
    await post('/v1/connections', { connectionName: 'Hostile', ...connection }, account),
    201,
  ).body;
  return target.serve({ connectionId: id, tools: null });
}

const toolCall = (name: string, meta: object = {}): object => ({
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { message: 'Well?' }, _meta: meta },
});

async function allOf(messages: AsyncGenerator<Message>): Promise<readonly Message[]> {
  const all: Message[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

describe('a flood of notifications', () => {
  it('of an MCP server during a call ends with its result, or the call fails; others are served', async () => {
    const flood = async (): Promise<readonly Message[]> => {
      const conversation = await startConversation(url, account);
      return allOf(conversation.ask(toolCall('flood', { progressToken: 'p' })));
    };
    const floods = await othersServedDuring(bystander, () =>
      Promise.all(Array.from({ length: FLOODED }, flood)),
    );
    for (const messages of floods) {
      expect(messages.at(-1)).toMatchObject({ id: 1 });
      // No more than was sent, and each with the client's own token.
      const sent = messages.slice(0, -1);
      expect(sent.length).toBeLessThanOrEqual(2 * FLOOD);
      const progress = sent.filter(({ method }) => method === 'notifications/progress');
      for (const message of progress) expect(message).toMatchObject({ params: { progressToken: 'p' } });
    }
  });

  it(`of a client, ${FLOOD} at once, is bounded; others are served`, async () => {
    const conversation = await startConversation(url, account);
    const statuses = await othersServedDuring(bystander, async () => {
      const all: number[] = [];
      const poster = async (): Promise<void> => {
        while (all.length < FLOOD) all.push(await conversation.post(PING));
      };
      await Promise.all(Array.from({ length: POSTERS }, poster));
      return all;
    });
    for (const status of new Set(statuses)) expect([202, 429, 503]).toContain(status);
    // The session continues.
    await expect
      .poll(async () => (await allOf(conversation.ask({ id: 2, method: 'ping' }))).at(-1))
      .toMatchObject({ id: 2, result: {} });
  });
});

describe('an answer to a question', () => {
  const answerOf = (id: Message['id'], response: string): object => ({
    id,
    result: { action: 'accept', content: { response } },
  });

  /**
   * Begins a call that sends a request to its client; returns the request's key, and the remaining messages. A busy machine may refuse a
   * call.
   */
  async function askedCall(conversation: McpConversation) {
    for (let left = ATTEMPTS; left > 0; left -= 1) {
      const messages = conversation.ask(toolCall('test_elicitation'));
      for (let next = await messages.next(); next.done !== true; next = await messages.next())
        if (next.value.method === 'elicitation/create')
          return { key: next.value.id, rest: () => allOf(messages) };
    }
    throw new Error('Nothing was asked.');
  }

  it('that is forged, of another user, or sent again changes nothing', async () => {
    const conversation = await startConversation(url, account);
    const { apiKey } = await createUser(account, { role: 'developer' });
    const colleague = await startConversation(url, { apiKey });
    const { key, rest } = await askedCall(conversation);
    expect(String(key)).toMatch(/^ask_.{20,}/);
    const forged = `ask_${'A'.repeat(String(key).length - 4)}`;
    for (const status of [
      await colleague.post(answerOf(key, 'of a colleague')),
      await conversation.post(answerOf(forged, 'forged')),
    ])
      expect(status).toBeLessThan(500);
    expect(await conversation.post(answerOf(key, 'the first'))).toBe(202);
    for (let again = 0; again < 20; again += 1)
      expect(await conversation.post(answerOf(key, 'a later one'))).toBeLessThan(500);
    const messages = await rest();
    expect(JSON.stringify(messages.at(-1))).toContain('the first');
    expect(JSON.stringify(messages)).not.toMatch(/colleague|forged|a later one/);
    // A repeated answer does not answer the next call's request, either.
    const next = await askedCall(conversation);
    expect(next.key).not.toBe(key);
    expect(await conversation.post(answerOf(key, 'a later one'))).toBeLessThan(500);
    expect(await conversation.post(answerOf(next.key, 'the second'))).toBe(202);
    expect(JSON.stringify((await next.rest()).at(-1))).toContain('the second');
  });
});

describe('a list of tools whose schemas are bombs', () => {
  const nested = (levels: number): object => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };
  const doubling = (levels: number): object => ({
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_level, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [
          `d${at}`,
          at === levels - 1 ? { type: 'string' } : { anyOf: [next, next], allOf: [next, next] },
        ];
      }),
    ),
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
  });
  const wide = (names: number): object => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: names }, (_name, at) => [`n${at}`, { type: 'string' }]),
    ),
  });
  it.each<[string, object]>([
    ['nested 2 000 levels deep', nested(2_000)],
    ['references that double at each of 40 levels', doubling(40)],
    ['20 000 members', wide(20_000)],
    ['a reference to itself', { type: 'object', properties: { a: { $ref: '#' } } }],
    [
      'a pattern that takes exponential time',
      { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    ],
  ])('%s is refused or served within bounds, while others are served', async (_name, inputSchema) => {
    const connection = await toolServers.serve([
      { name: 'bomb', description: 'Is dear.', inputSchema: inputSchema as never },
    ]);
    await othersServedDuring(bystander, async () => {
      const made = await post('/v1/connections', { connectionName: 'Bomb', ...connection }, account);
      expect([201, 400, 422]).toContain(made.status);
      if (made.status !== 201) return;
      const served = await target.serve({ connectionId: made.body.id, tools: null });
      const send = (message: object) =>
        call('POST', served, { ...account, body: { jsonrpc: '2.0', id: 1, ...message } });
      const list = expectStatus(await send({ method: 'tools/list' }), 200);
      expect(list.text.length).toBeLessThan(2 * 1024 * 1024);
      const answer = await send({
        method: 'tools/call',
        params: { name: 'bomb', arguments: { a: `${'a'.repeat(40)}!` } },
      });
      expectStatus(answer, 200);
    });
  });
});
