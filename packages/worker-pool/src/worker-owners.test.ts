import { expect, it } from 'vitest';
import { startTestPool } from './testing/test-pool.ts';

/** The first letter of an account names its owner. */
const ownerOf = (account: string): string => account.slice(0, 1);

it('the accounts of one owner have half of the workers at most', async () => {
  const { run } = startTestPool({ maxWorkers: 4, callsPerWorker: 1 }, undefined, ownerOf);
  const stop = new AbortController();
  // A call that has not been sent when it is cancelled is refused.
  await Promise.all([run('a1', 'pid'), run('a2', 'pid')]);
  const held = ['a1', 'a2'].map((account) => run(account, 'pidWhenCancelled', { signal: stop.signal }));
  const third = run('a3', 'pid');
  // If the third had a worker, one of these would have to wait.
  await Promise.all([run('b1', 'pid'), run('c1', 'pid')]);
  stop.abort();
  // A worker of the same owner that has nothing to do makes place.
  expect(await Promise.all(held)).not.toContain(await third);
});

it('an account whose owner has its share takes no worker from others', async () => {
  const { run } = startTestPool({ maxWorkers: 4, callsPerWorker: 1, sliceMs: 0 }, undefined, ownerOf);
  // The oldest worker would be the first to make place.
  const all = ['b1', 'c1', 'a1', 'a2'];
  const pids: unknown[] = [];
  for (const account of all) pids.push(await run(account, 'pid'));
  const stop = new AbortController();
  const held = all.map((account) => run(account, 'pidWhenCancelled', { signal: stop.signal }));
  const third = run('a3', 'pid');
  stop.abort();
  await Promise.all(held);
  expect(await Promise.all([run('b1', 'pid'), run('c1', 'pid')])).toEqual(pids.slice(0, 2));
  expect(pids).not.toContain(await third);
});
