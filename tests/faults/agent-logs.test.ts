import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { TestAgent } from '@fairlead/agent-channel/testing/test-agent';
import { waitForPort } from '@fairlead/local-stores/ports';
import { afterAll, beforeAll, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startAgent } from './support/agent-program.ts';
import { openTasks } from './support/agent-tasks.ts';
import type { StoredTasks } from './support/agent-tasks.ts';
import { post, remove } from './support/api.ts';
import { untilBalanced } from './support/balanced.ts';
import { SLACK_MS } from './support/load.ts';
import {
  allOf,
  keepKilled,
  kill,
  processesOf,
  processOf,
  untilReplaced,
  untilServing,
} from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const AGENTS = 'services/agents/src/main.ts';
const GATEWAY = 'services/gateway/src/main.ts';
const MONGOD = 'mongod\0';
const NATS = 'nats-server\0';
const ZIP = { 'content-type': 'application/zip' };
const PIECE = Buffer.alloc(1024 * 1024, 'log ');
/** The contract promises an answer within 30 s; a busy machine adds to it. */
const DEADLINE_MS = 30_000 + SLACK_MS;
/** The deadline of a task, plus the time until its remains are removed. */
const CLEAN = { timeout: 180_000, interval: 500 };
const LARGE_PIECES = 300;
/** Larger than all buffers on the way. */
const LARGE_LOG_BYTES = 64 * 1024 * 1024;
/** Memory growth in MB of a process that streams 300 MiB without buffering them; uncollected garbage counts. */
const FLAT_MB = 200;

const created = z.object({ id: z.int(), token: z.string() });

let tasks: StoredTasks;
beforeAll(async () => {
  tasks = await openTasks();
});
afterAll(() => tasks.close());

beforeEach(async () => {
  await Promise.all((await allOf(stack, AGENTS)).map(untilServing));
  await Promise.all((await allOf(stack, GATEWAY)).map((id) => untilBalanced(stack.baseUrl, id)));
});

async function expectNothingLeft(): Promise<void> {
  await expect.poll(() => tasks.open(), CLEAN).toBe(0);
}

/** An agent that is online until the test ends. */
async function createAgent(): Promise<{ readonly id: number; readonly agent: TestAgent }> {
  const { body } = await post('/v1/on-prem-agents', { applicationSlug: 'onprem-http', name: 'Logs' });
  const { id, token } = created.parse(body);
  onTestFinished(() => remove(`/v1/on-prem-agents/${id}`));
  const agent = testAgent({ url: stack.baseUrl, token });
  expect((await agent.hello()).status).toBe(200);
  return { id, agent };
}

/** Rejects if no response begins before the deadline. */
async function download(id: number): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), DEADLINE_MS);
  try {
    return await fetch(`${stack.baseUrl}/v1/on-prem-agents/${id}/logs`, {
      headers: { 'x-api-key': stack.account.apiKey },
      signal: late.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** An archive whose first chunk is sent; the test lets it continue or break off. */
function heldArchive() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(PIECE).catch(() => undefined);
  return { readable, writer };
}

/** The received bytes of a body, and whether it was complete. */
async function read(response: Response): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length;
    return { bytes, isWhole: true };
  } catch {
    return { bytes, isWhole: false };
  }
}

it('kill -9 of the replica that waits for logs: the download is refused in time, and the next one succeeds', async () => {
  const { id, agent } = await createAgent();
  const answer = download(id);
  const { id: taskId } = await agent.take();
  await tasks.killWaiter();
  const { status } = await answer;
  expect([502, 503, 504]).toContain(status);
  await agent.send('PUT', `/tasks/${taskId}/result`, { body: 'PK', headers: ZIP });
  await expectNothingLeft();
  const next = download(id);
  const again = await agent.take();
  await agent.send('PUT', `/tasks/${again.id}/result`, { body: 'PK', headers: ZIP });
  expect(await (await next).text()).toBe('PK');
  await expectNothingLeft();
});

it.each([
  ['the replica that waits is killed', () => tasks.killWaiter()],
  ['a gateway is killed, through which they come', killGateways],
])('logs of which a part has arrived are cut, never short, when %s', async (_how, fail) => {
  const { id, agent } = await createAgent();
  const answer = download(id);
  const { id: taskId } = await agent.take();
  const { readable, writer } = heldArchive();
  const sending = agent
    .send('PUT', `/tasks/${taskId}/result`, { body: readable, headers: ZIP })
    .then(({ status }) => status)
    .catch(() => 0);
  const response = await answer;
  expect(response.status).toBe(200);
  const reading = read(response);
  await fail();
  expect(await reading).toMatchObject({ isWhole: false });
  await writer.abort().catch(() => undefined);
  expect(await sending).not.toBe(204);
  await expectNothingLeft();
});

async function killGateways(): Promise<void> {
  for (const victim of processesOf(stack, GATEWAY)) kill(victim);
  await Promise.all((await allOf(stack, GATEWAY)).map((id) => untilBalanced(stack.baseUrl, id)));
}

it.runIf(isEverything)('without NATS a download begins and is whole', async () => {
  const killing = keepKilled(stack, NATS);
  try {
    const { id, agent } = await createAgent();
    const answer = download(id);
    const { id: taskId } = await agent.take();
    const { readable, writer } = heldArchive();
    const sending = agent.send('PUT', `/tasks/${taskId}/result`, { body: readable, headers: ZIP });
    const reading = read(await answer);
    await writer.write(PIECE);
    await writer.close();
    expect(await reading).toEqual({ bytes: 2 * PIECE.length, isWhole: true });
    expect((await sending).status).toBe(204);
  } finally {
    await killing.stop();
    await waitForPort(portOf(stack.natsUrl), AbortSignal.timeout(CLEAN.timeout));
  }
  await expectNothingLeft();
});

it.runIf(isEverything)(
  'kill -9 of mongod while logs arrive: the download is whole or cut, never short',
  async () => {
    const { id, agent } = await createAgent();
    const answer = download(id);
    const { id: taskId } = await agent.take();
    const { readable, writer } = heldArchive();
    const sending = agent
      .send('PUT', `/tasks/${taskId}/result`, { body: readable, headers: ZIP })
      .then(({ status }) => status)
      .catch(() => 0);
    const reading = read(await answer);
    const victim = processOf(stack, MONGOD);
    kill(victim);
    await writer.write(PIECE).catch(() => undefined);
    await writer.close().catch(() => undefined);
    const { bytes, isWhole } = await reading;
    expect(isWhole ? bytes : 2 * PIECE.length).toBe(2 * PIECE.length);
    await untilReplaced(stack, MONGOD, victim);
    await waitForPort(portOf(stack.mongodbUri), AbortSignal.timeout(CLEAN.timeout));
    const sent = await sending;
    expect(isWhole || sent !== 204).toBe(true);
    await expectNothingLeft();
  },
);

it('kill -9 of the agent while it sends its logs: the download is cut, and the next process sends all of them', async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.close());
  writeFileSync(join(agent.logDirectory, 'agent.1.log'), randomBytes(LARGE_LOG_BYTES));
  const { body, status } = await download(agent.id);
  expect(status).toBe(200);
  const reader = body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await agent.kill();
  const rest = async (): Promise<void> => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
  };
  await expect(rest()).rejects.toThrow(/./);
  agent.start();
  await expectNothingLeft();
  await expect
    .poll(async () => (await read(await download(agent.id))).bytes, CLEAN)
    .toBeGreaterThan(LARGE_LOG_BYTES);
  await expectNothingLeft();
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Maximum resident memory of a process since the last reset, in MB (proc(5)). */
const peakOf = (id: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) / 1_000;

it('300 MiB of logs pass, and no process keeps them', async () => {
  const { id, agent } = await createAgent();
  const processes = [AGENTS, GATEWAY].flatMap((program) => processesOf(stack, program));
  for (const each of processes) writeFileSync(`/proc/${each}/clear_refs`, '5');
  const before = processes.map(peakOf);
  const answer = download(id);
  const { id: taskId } = await agent.take();
  let sent = 0;
  const archive = new ReadableStream<Uint8Array>({
    pull(controller) {
      if ((sent += 1) > LARGE_PIECES) controller.close();
      else controller.enqueue(PIECE);
    },
  });
  const sending = agent.send('PUT', `/tasks/${taskId}/result`, { body: archive, headers: ZIP });
  expect(await read(await answer)).toEqual({ bytes: LARGE_PIECES * PIECE.length, isWhole: true });
  expect((await sending).status).toBe(204);
  for (const [at, each] of processes.entries())
    expect(peakOf(each) - (before[at] ?? 0)).toBeLessThan(FLAT_MB);
});
