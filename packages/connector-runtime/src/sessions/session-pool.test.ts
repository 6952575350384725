import { expect, it } from 'vitest';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { CallFailure } from '../failure.ts';
import { SessionPool, StaleSessionError } from './session-pool.ts';
import type { PooledSession, SessionKind } from './session-pool.ts';

const KIND: SessionKind = { name: 'postgresql', idleMs: 30_000, idlePerConnection: 2 };

class TestSession implements PooledSession {
  readonly #lost = new AbortController();
  readonly lost = this.#lost.signal;
  resets = 0;
  isClosed = false;
  onReset: () => Promise<void> = () => Promise.resolve();

  async reset(): Promise<void> {
    this.resets += 1;
    await this.onReset();
  }

  lose(): void {
    this.#lost.abort();
  }

  close(): void {
    this.isClosed = true;
  }
}

function start() {
  const time = new VirtualTime(0);
  const pool = new SessionPool({ timers: time.timers(() => true), now: () => time.nowMs });
  const opened: TestSession[] = [];
  const use = async <T = TestSession>(
    o: {
      connection?: string;
      settings?: string;
      signal?: AbortSignal;
      work?: (session: TestSession, isReused: boolean) => Promise<T>;
    } = {},
  ) =>
    pool.use({
      kind: KIND,
      key: { connection: o.connection ?? '7', settings: o.settings ?? '1' },
      signal: o.signal ?? new AbortController().signal,
      open: async () => {
        const session = new TestSession();
        opened.push(session);
        return session;
      },
      work: o.work ?? (async (session) => session as T),
    });
  const events = (): string[] => pool.takeCounts().map(({ event, count }) => `${event} ${count}`);
  return { time, use, opened, events };
}

/** Lets the callbacks of settled promises run. */
const settle = (): Promise<void> => new Promise(setImmediate);

it('calls of a connection share a session, which is reset after each and closed when none needs it in time', async () => {
  const { time, use, opened, events } = start();
  for (let call = 0; call < 3; call += 1) expect(await use()).toBe(opened[0]);
  await settle();
  expect([opened.length, opened[0]?.resets, opened[0]?.isClosed]).toEqual([1, 3, false]);
  await time.runUntil(30_001);
  expect(opened[0]?.isClosed).toBe(true);
  expect(events()).toEqual(['opened 1', 'reused 2', 'idle 1']);
});

it('a session serves one call at a time, one connection and one version of its settings', async () => {
  const { use, opened, events } = start();
  const free = Promise.withResolvers<void>();
  const first = use({ work: () => free.promise });
  await use();
  await use({ connection: '8' });
  expect(opened).toHaveLength(3);
  await settle();
  await use({ settings: '2' });
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, true, false, false]);
  free.resolve();
  await first;
  await settle();
  expect(opened[0]?.isClosed).toBe(true);
  expect(events()).toContain('replaced 2');
});

it('a session is closed if its last call was cut off, failed unexpectedly, or cannot be taken back', async () => {
  const { time, use, opened, events } = start();
  const cut = new AbortController();
  await use({ signal: cut.signal, work: async () => cut.abort() });
  await expect(use({ work: () => Promise.reject(new TypeError('defect')) })).rejects.toThrow('defect');
  await use({ work: async (session) => void (session.onReset = () => Promise.reject(new Error('no'))) });
  await settle();
  await use({ work: async (session) => void (session.onReset = () => new Promise(() => undefined)) });
  await time.runUntil(3_000);
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true, true, true]);
  expect(events()).toEqual(['opened 4', 'cut 2', 'unclean 2']);
  await expect(use({ work: () => Promise.reject(new CallFailure('No such table.')) })).rejects.toThrow(
    'such',
  );
  await settle();
  expect(opened[4]?.isClosed).toBe(false);
});

it('a session that is lost between two calls is not used again', async () => {
  const { use, opened, events } = start();
  await use();
  await settle();
  opened[0]?.lose();
  expect(await use()).toBe(opened[1]);
  expect(opened[0]?.isClosed).toBe(true);
  expect(events()).toEqual(['opened 2', 'lost 1']);
});

it('a call on a stale session runs once more, in a new one', async () => {
  const { use, events } = start();
  await use();
  await settle();
  const seen: boolean[] = [];
  const work = (_session: TestSession, isReused: boolean): Promise<string> => {
    seen.push(isReused);
    return isReused ? Promise.reject(new StaleSessionError()) : Promise.resolve('done');
  };
  expect(await use({ work })).toBe('done');
  expect(seen).toEqual([true, false]);
  expect(events()).toEqual(['opened 2', 'reused 1', 'stale 1']);
});

it('keeps few sessions of a connection, fifty at most, and none for more than ten minutes', async () => {
  const { time, use, opened, events } = start();
  const free = Promise.withResolvers<void>();
  const calls = Array.from({ length: 3 }, () => use({ work: () => free.promise }));
  free.resolve();
  await Promise.all(calls);
  await settle();
  expect(opened.filter(({ isClosed }) => isClosed)).toHaveLength(1);
  for (let connection = 0; connection < 60; connection += 1) await use({ connection: `c${connection}` });
  await settle();
  expect(opened.filter(({ isClosed }) => !isClosed)).toHaveLength(50);
  events();
  const last = opened.at(-1);
  for (let at = 0; at <= 640_000; at += 20_000) {
    await time.runUntil(at);
    await use({ connection: 'c59' });
    await settle();
  }
  await settle();
  expect(last?.isClosed).toBe(true);
  expect(events()).toContain('old 1');
});
