import { createHash } from 'node:crypto';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { openStream } from '../testing/open-stream.ts';
import { KEY, startWayIn, TOKEN_PATH } from '../testing/way-in.ts';

const TASK = { taskId: 'call_1', status: 'working' };
const HASH = createHash('sha256').update('call_1').digest('base64url');

/** A client with a session whose calls become a task; its stream, if it has one. */
async function setUp(hasStream = true) {
  const time = new VirtualTime(Date.UTC(2026, 0, 1));
  const wayIn = await startWayIn({ timers: time.timers(() => true) });
  const state = { task: TASK as object, looks: 0 };
  wayIn.state.handle = ({ request }) => {
    const { method } = JSON.parse(Buffer.from(request.body ?? []).toString()) as { readonly method: string };
    if (method === 'tasks/get') state.looks += 1;
    const result = method === 'tools/call' ? { task: TASK } : method === 'tasks/get' ? state.task : {};
    return Promise.resolve({ httpStatus: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) });
  };
  const post = async (method: string, params: object, headers: Record<string, string> = KEY) =>
    wayIn.post(TOKEN_PATH, { json: { jsonrpc: '2.0', id: 1, method, params }, headers });
  const session = (await post('initialize', { capabilities: {} })).headers.get('mcp-session-id') ?? '';
  const headers = { ...KEY, 'mcp-session-id': session };
  const stream = hasStream
    ? await openStream(wayIn, TOKEN_PATH, { ...headers, accept: 'text/event-stream' })
    : undefined;
  return {
    state,
    time,
    call: (params: object = { task: {} }) => post('tools/call', { name: 'slow', ...params }, headers),
    change: () => wayIn.changeTask(HASH),
    /** Messages on the stream other than list notices. */
    told: () => stream?.messages().filter((it) => !JSON.stringify(it).includes('list_changed')),
  };
}

const ended = { taskId: 'call_1', status: 'failed', statusMessage: 'It broke.' };
const notice = { jsonrpc: '2.0', method: 'notifications/tasks/status', params: ended };

test('a client is told on its stream that its task has ended, once', async () => {
  const { state, call, change, told } = await setUp();
  await call();
  change();
  await expect.poll(() => state.looks).toBe(1);
  state.task = ended;
  change();
  await expect.poll(told).toEqual([notice]);
  change();
  expect(state.looks).toBe(2);
});

test('a task that ended before its client knew of it is found a moment later', async () => {
  const { state, time, call, told } = await setUp();
  state.task = ended;
  await call();
  await time.runUntil(Date.UTC(2026, 0, 1) + 500);
  await expect.poll(told).toEqual([notice]);
});

test('nobody looks at the task of a client without a stream again, or at a call that is no task', async () => {
  const { state, call, change } = await setUp(false);
  await call({});
  change();
  expect(state.looks).toBe(0);
  await call();
  state.task = ended;
  change();
  await expect.poll(() => state.looks).toBe(1);
  change();
  expect(state.looks).toBe(1);
});
