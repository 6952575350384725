import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createHttpConnection, post } from './support/api.ts';
import { allOf, kill, processesOf, untilReplaced, untilServing } from './support/processes.ts';
import { startVendor } from './support/vendor.ts';
import type { RecordingVendor } from './support/vendor.ts';

const stack = inject('stack');

const MCP = 'services/mcp/src/main.ts';
const TOOLS = 'services/tools/src/main.ts';
const SEND = 'http-send-request';
/** Number of tasks: some at each replica. */
const TASKS = 12;
const PATIENCE = { timeout: 120_000, interval: 500 };

const made = z.object({ mcpServerToken: z.string() });
const task = z.object({ taskId: z.string(), status: z.string(), statusMessage: z.string().optional() });
const created = z.object({ result: z.object({ task }) });
const read = z.object({ result: task });

let vendor: RecordingVendor;
let serverUrl: string;
beforeAll(async () => {
  vendor = await startVendor();
  const connections = [{ connectionId: await createHttpConnection(vendor.url), tools: [SEND] }];
  const { body } = await post('/admin/v1/mcpservers', { name: 'Tasks under faults', connections });
  serverUrl = `${stack.mcpUrl}/${made.parse(body).mcpServerToken}/mcp`;
});
afterAll(() => vendor.close());

/** The answer to a message of a client with a handshake (2025-11-25); undefined if there is none. */
async function answerTo(method: string, params: object): Promise<unknown> {
  try {
    const answer = await fetch(serverUrl, {
      method: 'POST',
      headers: {
        'x-api-key': stack.account.apiKey,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return await answer.json();
  } catch {
    return undefined;
  }
}

/** Begins tasks whose calls the vendor holds back. Returns their ids, and the paths of the calls. */
async function startTasks(): Promise<{ readonly ids: readonly string[]; readonly paths: readonly string[] }> {
  const run = randomUUID();
  const paths = Array.from({ length: TASKS }, (_task, index) => `/${run}/${index}`);
  const arrived = paths.map((path) => vendor.hold(`POST ${path}`));
  const answers = await Promise.all(
    paths.map((path) =>
      answerTo('tools/call', { name: SEND, arguments: { method: 'POST', url: path }, task: {} }),
    ),
  );
  await Promise.all(arrived);
  return { ids: answers.map((answer) => created.parse(answer).result.task.taskId), paths };
}

/** The final states of the tasks. */
async function endsOf(ids: readonly string[]): Promise<readonly z.infer<typeof task>[]> {
  const tasks = new Map<string, z.infer<typeof task>>();
  const look = async (taskId: string): Promise<void> => {
    const { data } = read.safeParse(await answerTo('tasks/get', { taskId }));
    if (data !== undefined && data.result.status !== 'working') tasks.set(taskId, data.result);
  };
  await expect
    .poll(async () => {
      await Promise.all(ids.filter((id) => !tasks.has(id)).map(look));
      return tasks.size;
    }, PATIENCE)
    .toBe(ids.length);
  return ids.flatMap((id) => tasks.get(id) ?? []);
}

/** Number of vendor calls at each of these paths. */
const timesCalled = (paths: readonly string[]): number[] =>
  paths.map((path) => vendor.calls.filter((call) => call === `POST ${path}`).length);

async function untilWell(): Promise<void> {
  for (const program of [MCP, TOOLS]) await Promise.all((await allOf(stack, program)).map(untilServing));
}

it('kill -9 of every replica of mcp during tasks: they go on, and their results arrive', async () => {
  await untilWell();
  const { ids, paths } = await startTasks();
  for (const victim of processesOf(stack, MCP)) {
    kill(victim);
    await Promise.all((await untilReplaced(stack, MCP, victim)).map(untilServing));
  }
  vendor.release();
  const ends = await endsOf(ids);
  expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
  for (const taskId of ids) {
    const answer = await answerTo('tasks/result', { taskId });
    expect(answer).toMatchObject({ result: { structuredContent: { body: { ok: true } } } });
  }
  expect(timesCalled(paths)).toEqual(paths.map(() => 1));
});

it('kill -9 of a replica of tools during tasks: nobody knows the outcome of those that it ran, and none is repeated', async () => {
  await untilWell();
  const { ids, paths } = await startTasks();
  const [victim] = processesOf(stack, TOOLS);
  if (victim === undefined) throw new Error('No tools runs');
  kill(victim);
  await Promise.all((await untilReplaced(stack, TOOLS, victim)).map(untilServing));
  vendor.release();
  const ends = await endsOf(ids);
  const lost = ends.filter(({ status }) => status !== 'completed');
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(TASKS);
  for (const end of lost)
    expect(end).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('unknown whether the call took effect') as unknown,
    });
  expect(timesCalled(paths)).toEqual(paths.map(() => 1));
});
