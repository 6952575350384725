import { startHostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import { startFakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import type { FakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import { stack } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { connect, execute, expectFailure, OUT_OF_MEMORY } from './support/meet.ts';
import { othersServedDuring } from './support/observe.ts';
import { openToolServers } from './support/tool-servers.ts';
import type { ToolServers } from './support/tool-servers.ts';
import { workerConnectedTo } from './support/worker-process.ts';

/** The maximum number per worker. */
const CALLS_OF_A_WORKER = 16;
const BUSY_MACHINE = { timeout: 90_000 };
const call = { toolSlug: 'postgresql-run-query', fields: { sql: 'SELECT 1' } };

let bystander: Bystander;
let silent: FakeServer;
let connection = 0;
let toolServers: ToolServers;
beforeAll(async () => {
  toolServers = openToolServers();
  bystander = await startBystander();
  silent = await startFakeServer({ result: () => undefined });
  const fields = {
    host: '127.0.0.1',
    port: silent.port,
    database: 'd',
    user: 'u',
    password: 'p',
    sslMode: 'disable',
  };
  connection = await connect({ connection: { applicationSlug: 'postgresql', fields } });
});
afterAll(async () => {
  await bystander.stop();
  await silent.close();
  await toolServers.close();
});

/** A call made by another worker than `known`. On a busy machine, calls may end before the worker has connected. */
async function heldCall(known?: number): Promise<{ worker: number; answer: Promise<Answer> }> {
  for (;;) {
    const answer = execute(connection, call);
    const ended = answer.then(() => undefined);
    const worker = await Promise.race([workerConnectedTo(stack, silent.port, known), ended]);
    if (worker !== undefined) return { worker, answer };
  }
}

it.each<[string, NodeJS.Signals]>([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
])(
  'a worker that is %s fails its call within the deadline, and a new one takes the next',
  async (_name, signal) => {
    const failed = await othersServedDuring(bystander, async () => {
      const { worker, answer } = await heldCall();
      process.kill(worker, signal);
      await answer;
      const next = await heldCall(worker);
      expect(next.worker).not.toBe(worker);
      expectFailure(await next.answer, 'did not respond within 5 s');
      return answer;
    });
    expectFailure(failed, '');
  },
);

it('a worker that its calls fill fails them clearly, and a new one takes the next', async () => {
  // Just below the limit of a response, and never complete.
  const line = `data: ${'x'.repeat(7.9 * 1024 * 1024)}`;
  const server = await startHostileMcpServer({
    answer: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(line),
    stage: 'call',
  });
  const filling = await connect({
    connection: { applicationSlug: 'mcp', authenticationId: 0, fields: { serverUrl: server.url } },
    connected: () => server.arm(),
  });
  const honest = await connect({
    connection: await toolServers.serve([{ name: 'do', inputSchema: { type: 'object' } }]),
  });
  const tool = { toolSlug: 'do', fields: {} };
  const fill = async (): Promise<readonly unknown[]> => {
    const calls = Array.from({ length: CALLS_OF_A_WORKER }, () => execute(filling, tool));
    const answers = await othersServedDuring(bystander, () => Promise.all(calls));
    for (const answer of answers) expectFailure(answer, OUT_OF_MEMORY);
    return answers.map(({ body }) => body.errorMessage);
  };
  // The calls may reach their time limit before the memory limit.
  await expect.poll(fill, BUSY_MACHINE).toContainEqual(expect.stringContaining(OUT_OF_MEMORY));
  const next = async (): Promise<unknown> => (await execute(honest, tool)).body;
  await expect.poll(next, BUSY_MACHINE).toMatchObject({ isSuccess: true });
  await server.close();
});

it('a worker that spins fails its call within the deadline, and a new one takes the next', async () => {
  const spin = { name: 'spin', inputSchema: objectOf({ type: 'string', pattern: '^(a+)+$' }) };
  const count = { name: 'count', inputSchema: objectOf({ type: 'integer' }) };
  const tools = await connect({ connection: await toolServers.serve([spin, count]) });
  const refusal = async (toolSlug: string, a: string): Promise<string> => {
    const answer = await execute(tools, { toolSlug, fields: { a } });
    expect(answer.body.errorCode, answer.text).toMatch(/^(VALIDATION_ERROR|RATE_LIMIT_EXCEEDED)$/);
    return answer.body.message;
  };
  // The call may reach its time limit before the CPU limit.
  const spinAgain = (): Promise<string> =>
    othersServedDuring(bystander, () => refusal('spin', `${'a'.repeat(60)}!`));
  await expect.poll(spinAgain, BUSY_MACHINE).toContain('takes too long to check');
  await expect.poll(() => refusal('count', 'one'), BUSY_MACHINE).toContain('must be integer');
});

function objectOf(a: JsonObject): JsonObject {
  return { type: 'object', properties: { a } };
}
