import { afterEach, expect, test } from 'vitest';
import { createWorkThread } from './work-thread.ts';
import type { WorkThread } from './work-thread.ts';

const ENTRY = new URL('testing/echo.thread.ts', import.meta.url);
let thread: WorkThread<unknown, readonly unknown[]> | undefined;

function open(idleMs?: number): WorkThread<unknown, readonly unknown[]> {
  thread = createWorkThread(ENTRY, idleMs);
  return thread;
}

afterEach(() => thread?.close());

test('a job is answered, bytes included, with what it took of a processor', async () => {
  const bytes = new Uint8Array([1, 2]);
  const { answer, cpuMs } = await open().run('a', bytes);
  expect(answer).toEqual([new Uint8Array([1, 2]), 0]);
  expect(cpuMs).toBeGreaterThanOrEqual(0);
  expect(bytes).toHaveLength(2);
  await thread?.run('a', bytes, [bytes]);
  expect(bytes).toHaveLength(0);
});

test('an account with many jobs does not keep another one waiting for all of them', async () => {
  const opened = open();
  const many = Array.from({ length: 5 }, (_, at) => opened.run('a', at));
  const other = await opened.run('b', 'b');
  expect(other.answer[1]).toBeLessThanOrEqual(1);
  expect((await Promise.all(many)).map(({ answer }) => answer[0])).toEqual([0, 1, 2, 3, 4]);
});

test('a job that throws rejects, and the next ones are served', async () => {
  const opened = open();
  await expect(opened.run('a', 'throw')).rejects.toThrow('A defect.');
  expect((await opened.run('a', 'next')).answer).toEqual(['next', 0]);
});

test('what a thread that ends had not done rejects, and a new one serves the next job', async () => {
  const opened = open();
  expect((await opened.run('a', 1)).answer).toEqual([1, 0]);
  await expect(opened.run('a', 'end')).rejects.toThrow('The thread has ended.');
  expect((await opened.run('a', 2)).answer).toEqual([2, 0]);
});

test('an idle thread ends, and is started again for the next job', async () => {
  const opened = open(1);
  expect((await opened.run('a', 1)).answer).toEqual([1, 0]);
  await expect.poll(async () => (await opened.run('a', 2)).answer).toEqual([2, 0]);
});

test('a thread that is closed rejects what it has not done', async () => {
  const opened = open();
  const job = opened.run('a', 1);
  const [, result] = await Promise.allSettled([opened.close(), job]);
  expect(result).toMatchObject({ status: 'rejected', reason: { message: 'The thread has ended.' } });
});
