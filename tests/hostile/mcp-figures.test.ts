import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../bench/child.ts';
import type { Scripts } from '../bench/child.ts';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { call, del, post } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { areFiguresMeasured } from './support/figures.ts';
import { startConversation } from './support/mcp-conversation.ts';
import { openMcpTarget } from './support/mcp-target.ts';
import type { McpTarget } from './support/mcp-target.ts';
import { expectServedNeighbour } from './support/neighbour.ts';

const CALLERS = 8;
const TEST_MS = 300_000;
const PING = { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };

let account: TestAccount;
let target: McpTarget;
beforeAll(async () => {
  account = await createAccount();
  target = await openMcpTarget(account);
});
afterAll(async () => {
  await target.close();
  await removeAccount(account);
});

/** An attacking MCP server; returns the connection to it. */
async function connect(...args: readonly string[]): Promise<object> {
  const upstream: Scripts['flooding-mcp'] = await startChild('flooding-mcp', { args });
  onTestFinished(() => upstream.stop());
  return {
    applicationSlug: 'mcp',
    connectionName: 'Flooding',
    authenticationId: 0,
    fields: { serverUrl: upstream.hello.url },
  };
}

async function serve(connection: object): Promise<string> {
  const { id } = expectStatus(await post('/v1/connections', connection, account), 201).body;
  return target.serve({ connectionId: id, tools: null });
}

/** Several callers repeat `one` for a while; returns the number of calls. */
async function repeat(one: () => Promise<unknown>, durationMs: number): Promise<number> {
  const end = performance.now() + durationMs;
  let done = 0;
  const caller = async (): Promise<void> => {
    for (; performance.now() < end; done += 1) await one();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return done;
}

const toolCall = (name: string): object => ({
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { progressToken: 'p' } },
});

it.runIf(areFiguresMeasured).each(['endless', 'flood'])(
  `while ${CALLERS} callers are sent %s notifications by their MCP server, another account is served`,
  async (tool) => {
    const url = await serve(await connect());
    const conversation = await startConversation(url, account);
    const attack = async (): Promise<void> => {
      for await (const _message of conversation.ask(toolCall(tool)));
    };
    await expectServedNeighbour(`${tool} notifications of an MCP server`, (ms) => repeat(attack, ms));
  },
  TEST_MS,
);

it.runIf(areFiguresMeasured)(
  `while ${CALLERS} callers send notifications without a pause, another account is served`,
  async () => {
    const generator = await startChild('load-generator', { args: [] });
    onTestFinished(() => generator.stop());
    await expectServedNeighbour('notifications of a client', async (durationMs) => {
      const { calls, failures } = await generator.request({
        url: target.url,
        headers: { 'x-api-key': account.apiKey },
        body: JSON.stringify({ jsonrpc: '2.0', ...PING }),
        callers: CALLERS,
        durationMs,
      });
      return calls + failures;
    });
  },
  TEST_MS,
);

it.runIf(areFiguresMeasured)(
  `while ${CALLERS} callers connect and list MCP servers whose schemas are bombs, another account is served`,
  async () => {
    const connection = await connect('bombs');
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const attack = async (): Promise<void> => {
      const made = await post('/v1/connections', connection, account);
      expect([201, 400, 422, 429, 503]).toContain(made.status);
      if (made.status !== 201) return;
      const url = await target.serve({ connectionId: made.body.id, tools: null });
      await call('POST', url, { ...account, body: list });
      await del(`/v1/connections/${made.body.id}?force=true`, account);
    };
    await expectServedNeighbour('schema bombs', (ms) => repeat(attack, ms));
  },
  TEST_MS,
);
