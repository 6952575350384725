import { expect, it } from 'vitest';
import { startTestPool } from './testing/test-pool.ts';

it('the accounts of one owner have half of the workers at most', async () => {
  const { run } = startTestPool({ maxWorkers: 4, callsPerWorker: 1 }, undefined, (account) =>
    account.slice(0, 1),
  );
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
