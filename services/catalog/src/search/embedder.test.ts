import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterEach, describe, expect, it } from 'vitest';
import { createWordThread } from '../testing/word-thread.ts';
import type { WordThread } from '../testing/word-thread.ts';
import { createEmbedder } from './embedder.ts';
import type { Embedder } from './embedder.ts';
import { similarity } from './vectors.ts';

const charged: string[] = [];
let nowMs = 0;
let logged = captureLog();
let embedder: Embedder | undefined;

function open(thread?: WordThread, waitMs = 60_000): Embedder {
  charged.length = 0;
  logged = captureLog();
  embedder = createEmbedder({
    clock: { now: () => new Date(nowMs) },
    log: logged.log,
    charge: (accountId) => void charged.push(accountId),
    waitMs,
    ...(thread === undefined ? {} : { thread }),
  });
  return embedder;
}

/** An embedder whose thread has already answered once. */
async function openWarm(thread: WordThread, waitMs?: number): Promise<Embedder> {
  const opened = open(thread, waitMs);
  await opened.embed('', ['first'], () => {});
  thread.jobs.length = 0;
  return opened;
}

afterEach(() => embedder?.close());

describe('the meaning of a query', () => {
  it('is found by the thread, and charged to the account', async () => {
    const opened = await openWarm(createWordThread());
    expect(await opened.ofQuery('acc_1', 'bill a customer')).toBeInstanceOf(Int8Array);
    expect(charged).toEqual(['acc_1']);
  });

  it('is found once', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread);
    const first = await opened.ofQuery('acc_1', 'bill');
    expect(await opened.ofQuery('acc_2', ' bill ')).toBe(first);
    expect(thread.jobs).toEqual([['bill']]);
  });

  it('is not waited for while the model is loaded, and known to a later search', async () => {
    const opened = open(createWordThread());
    expect(await opened.ofQuery('acc_1', 'bill')).toBeUndefined();
    await expect.poll(() => opened.ofQuery('acc_1', 'bill')).toBeInstanceOf(Int8Array);
  });

  it('is not waited for longer than the limit', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread, 1);
    const gate = Promise.withResolvers<void>();
    thread.gate = gate.promise;
    expect(await opened.ofQuery('acc_1', 'bill')).toBeUndefined();
    gate.resolve();
  });

  it('is not looked for if four queries of the account wait, while another account has its turn', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread);
    const gate = Promise.withResolvers<void>();
    thread.gate = gate.promise;
    const running = opened.ofQuery('acc_1', 'running');
    const waiting = ['a', 'b', 'c', 'd'].map((query) => opened.ofQuery('acc_1', query));
    expect(await opened.ofQuery('acc_1', 'e')).toBeUndefined();
    const other = opened.ofQuery('acc_2', 'other');
    gate.resolve();
    for (const query of [running, ...waiting, other]) expect(await query).toBeInstanceOf(Int8Array);
  });

  it('of a thread that fails is unknown for five seconds, and one log line says why', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread);
    thread.gate = Promise.reject(new Error('The thread has ended.'));
    expect(await opened.ofQuery('acc_1', 'bill')).toBeUndefined();
    thread.gate = Promise.resolve();
    expect(await opened.ofQuery('acc_1', 'bill')).toBeUndefined();
    expect(thread.jobs).toHaveLength(1);
    expect(logged.lines().map(({ level }) => level)).toEqual(['warn']);
    nowMs += 5_000;
    await expect.poll(() => opened.ofQuery('acc_1', 'bill')).toBeInstanceOf(Int8Array);
  });
});

describe('texts', () => {
  it('are embedded a few at a time, owners in turn, and after queries', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread);
    const gate = Promise.withResolvers<void>();
    thread.gate = gate.promise;
    const took: number[] = [];
    const nine = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    const done = Promise.all([
      opened.embed('acc_1', nine, (at) => void took.push(at)),
      opened.embed('acc_2', ['other'], () => {}),
      opened.ofQuery('acc_3', 'query'),
    ]);
    gate.resolve();
    await done;
    expect(thread.jobs).toEqual([['1', '2', '3', '4'], ['query'], ['5', '6', '7', '8'], ['other'], ['9']]);
    expect(took).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(charged).toEqual(['acc_1', 'acc_3', 'acc_1', 'acc_2', 'acc_1']);
  });

  it('get no vector if the thread fails, and are no longer waited for', async () => {
    const thread = createWordThread();
    const opened = await openWarm(thread);
    thread.gate = Promise.reject(new Error('The thread has ended.'));
    const took: number[] = [];
    await opened.embed('', ['1', '2', '3', '4', '5'], (at) => void took.push(at));
    expect(took).toEqual([]);
    expect(thread.jobs).toHaveLength(1);
  });
});

it('the model of the package says that a bill is nearer to an invoice than to a channel', async () => {
  const opened = open();
  const found: Int8Array[] = [];
  const texts = ['bill a customer', 'Create invoice', 'List channels', ''];
  await opened.embed('', texts, (at, vector) => void (found[at] = vector));
  const [bill, invoice, channels] = found;
  if (bill === undefined || invoice === undefined || channels === undefined) throw new Error('no vectors');
  const query = new Int8Array(bill);
  expect(similarity(query, invoice, 0)).toBeGreaterThan(similarity(query, channels, 0) + 0.1);
  expect(similarity(query, bill, 0)).toBeCloseTo(1, 1);
  expect(found).toHaveLength(4);
});
