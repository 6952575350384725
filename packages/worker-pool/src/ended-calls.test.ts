import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { startTestPool } from './testing/test-pool.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a call that has ended is still known, for what its worker logs, but its job is not', async () => {
  const { pool } = startTestPool();
  const runOne = async (value: number): Promise<WeakRef<object>> => {
    const job = { name: 'echo', value };
    expect(await pool.run('a', job, { signal: new AbortController().signal, timeoutMs: 60_000 })).toBe(value);
    return new WeakRef(job);
  };
  const jobs = [await runOne(1), await runOne(2)];
  // A new WeakRef keeps its target alive until the end of the current turn.
  await nextTurn();
  collectGarbage();
  expect(jobs.map((job) => job.deref())).toEqual([undefined, undefined]);
});
