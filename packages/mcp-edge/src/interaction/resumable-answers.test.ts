import { once } from 'node:events';
import { systemTimers } from '@fairlead/service-kit/timers';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { describe, expect, test } from 'vitest';
import { openStream, postStreaming } from '../testing/open-stream.ts';
import { KEY, TOKEN_PATH, clientMessage, response, startWayIn } from '../testing/way-in.ts';
import { createResumableAnswers } from './resumable-answers.ts';
import type { OpenAnswerPipe } from './resumable-answers.ts';

type WayIn = Awaited<ReturnType<typeof startWayIn>>;

const SESSION = { key: 'session-1' };
const VERSION = { 'mcp-protocol-version': '2025-11-25' };
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'a', _meta: { progressToken: 7 } },
};
const progress = (n: number) => ({ method: 'notifications/progress', params: { progress: n } });

async function startSession({ post }: WayIn): Promise<Record<string, string>> {
  const json = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
  const { headers } = await post(TOKEN_PATH, { json, headers: KEY });
  return { ...KEY, ...VERSION, 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

/** Each request sends one message at once, and the rest when released. */
function inTwoParts({ state }: WayIn) {
  const rest = Promise.withResolvers<void>();
  state.converse = async function* () {
    yield clientMessage(progress(1));
    await rest.promise;
    yield clientMessage(progress(2));
    yield response({ done: true });
  };
  return () => rest.resolve();
}

describe('an answer that is a stream', () => {
  test('begins with an event whose id the client can name, and each message has one', async () => {
    const wayIn = await startWayIn();
    inTwoParts(wayIn)();
    const stream = await postStreaming(wayIn, CALL, await startSession(wayIn));
    await stream.ended;
    expect(stream.text()).toMatch(/^id: r\.[A-Za-z0-9_-]{22}\.0\nretry: 500\ndata: \n\n/);
    expect(stream.events().map(({ id }) => id?.split('.')[2])).toEqual(['1', '2', '3']);
  });

  test.each([
    ['before 2025-11-25', { 'mcp-protocol-version': '2025-06-18' }],
    ['without a session', { 'mcp-session-id': '' }],
  ])('has no ids for clients %s', async (_name, headers) => {
    const wayIn = await startWayIn();
    inTwoParts(wayIn)();
    const sent = Object.entries({ ...(await startSession(wayIn)), ...headers }).filter(
      ([, value]) => value !== '',
    );
    const stream = await postStreaming(wayIn, CALL, Object.fromEntries(sent));
    await stream.ended;
    expect(stream.text()).not.toContain('id: ');
    expect(stream.messages()).toHaveLength(3);
  });

  test('goes on for a client that has lost its connection, with what it has not received', async () => {
    const wayIn = await startWayIn();
    const finish = inTwoParts(wayIn);
    const headers = await startSession(wayIn);
    const lost = await postStreaming(wayIn, CALL, headers);
    await expect.poll(lost.messages).toHaveLength(1);
    lost.leave();
    await lost.ended;
    const resumed = await openStream(wayIn, TOKEN_PATH, {
      ...headers,
      'last-event-id': lost.events()[0]?.id ?? '',
    });
    finish();
    await resumed.ended;
    expect(resumed.messages()).toMatchObject([progress(2), { id: 1, result: { done: true } }]);
  });

  test('can be had after its end, from any of its events on', async () => {
    const wayIn = await startWayIn();
    inTwoParts(wayIn)();
    const headers = await startSession(wayIn);
    const stream = await postStreaming(wayIn, CALL, headers);
    await stream.ended;
    const [{ id = '' } = {}] = stream.events();
    for (const [from, count] of [
      [0, 3],
      [2, 1],
    ]) {
      const lastEventId = id.replace(/\d+$/, String(from));
      const again = await openStream(wayIn, TOKEN_PATH, { ...headers, 'last-event-id': lastEventId });
      await again.ended;
      expect(again.messages()).toHaveLength(count ?? 0);
    }
  });

  test('belongs to its session: in another one its ids name nothing', async () => {
    const wayIn = await startWayIn();
    inTwoParts(wayIn)();
    const stream = await postStreaming(wayIn, CALL, await startSession(wayIn));
    await stream.ended;
    const [{ id = '' } = {}] = stream.events();
    const other = await openStream(wayIn, TOKEN_PATH, {
      ...(await startSession(wayIn)),
      'last-event-id': id,
    });
    // The stream is an ordinary one, which carries notifications.
    wayIn.changeLists('acc_1');
    await expect.poll(other.messages).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
  });

  test('that its client cancelled cannot be had any more', async () => {
    const wayIn = await startWayIn();
    wayIn.state.converse = async function* ({ ctx }) {
      yield clientMessage(progress(1));
      await once(ctx.signal, 'abort');
      ctx.signal.throwIfAborted();
    };
    const headers = await startSession(wayIn);
    const stream = await postStreaming(wayIn, CALL, headers);
    await expect.poll(stream.messages).toHaveLength(1);
    const resumed = await openStream(wayIn, TOKEN_PATH, {
      ...headers,
      'last-event-id': stream.events()[0]?.id ?? '',
    });
    wayIn.state.handle = () => Promise.resolve({ httpStatus: 202, body: '' });
    const json = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await wayIn.post(TOKEN_PATH, { json, headers });
    await expect(Promise.all([stream.ended, resumed.ended])).resolves.toHaveLength(2);
  });
});

/** The clients' streams, each with the messages sent on it. */
function fakeHub() {
  const sent = new Map<string, string[]>();
  const ended: string[] = [];
  const hub = {
    reserve: (key: string) => {
      const messages: string[] = [];
      sent.set(key, messages);
      const send = (json: Uint8Array) => Promise.resolve(messages.push(Buffer.from(json).toString()) > 0);
      return Promise.resolve({ sendBefore: send, send, release: () => Promise.resolve() });
    },
    end: (key: string) => Promise.resolve(void ended.push(key)),
  };
  return { hub, sent, ended };
}

test('an answer is found at the replica that has it', async () => {
  const taken = new Map<string, Parameters<OpenAnswerPipe>[0]>();
  const openPipe: OpenAnswerPipe = (resume) => ({
    take: (address) => Promise.resolve(void taken.set(address, resume)),
    leave: (address) => void taken.delete(address),
    ask: (address, { after = 0, streamKey = '' }) => {
      const takes = taken.get(address);
      takes?.(address, { after, streamKey });
      return Promise.resolve(takes && { $typeName: 'fairlead.gateway.v1.AnswerAddressedReply' });
    },
    maxBytes: () => 1_000_000,
  });
  const { hub, sent, ended } = fakeHub();
  const time = new VirtualTime(0);
  const here = createResumableAnswers({ openPipe, hub, timers: time.timers(() => true) });
  const there = createResumableAnswers({ openPipe, hub, timers: systemTimers });
  const answer = here.open(SESSION, 'acc_1');
  const id = answer.add(Buffer.from('1'), false);
  const place = there.placeOf(answer.firstId());
  if (place === undefined) throw new Error(`${id} names no place.`);
  expect(await there.resume({ key: 'session-2' }, place)).toBe(false);
  expect(await there.resume(SESSION, place)).toBe(true);
  answer.add(Buffer.from('2'), false);
  answer.add(Buffer.from('3'), true);
  const key = there.streamKey(SESSION, place);
  await expect.poll(() => sent.get(key)).toEqual(['1', '2', '3']);
  await expect.poll(() => ended).toEqual([key]);
  await time.runUntil(120_000);
  expect(await there.resume(SESSION, place)).toBe(false);
});

test('the oldest messages leave if there are too many, and no account keeps more than its share', async () => {
  const { hub, sent } = fakeHub();
  const openPipe: OpenAnswerPipe = () => ({
    take: () => Promise.resolve(),
    leave: () => undefined,
    ask: () => Promise.resolve(undefined),
    maxBytes: () => 0,
  });
  const answers = createResumableAnswers({ openPipe, hub, timers: systemTimers });
  const text = (byte: string) => Buffer.from(byte.repeat(3 * 1024 * 1024));
  const kept = async (accountId: string): Promise<string[]> => {
    const answer = answers.open(SESSION, accountId);
    for (const byte of ['a', 'b', 'c']) answer.add(text(byte), byte === 'c');
    const place = answers.placeOf(answer.firstId());
    if (place === undefined) throw new Error('The id names no place.');
    await answers.resume(SESSION, place);
    const key = answers.streamKey(SESSION, place);
    await new Promise((resolve) => setImmediate(resolve));
    return (sent.get(key) ?? []).map(([byte = '']) => byte);
  };
  const all: string[][] = [];
  for (let i = 0; i < 6; i += 1) all.push(await kept('acc_1'));
  expect(all).toEqual([['b', 'c'], ['b', 'c'], ['b', 'c'], ['b', 'c'], ['b', 'c'], []]);
  expect(await kept('acc_2')).toEqual(['b', 'c']);
});
