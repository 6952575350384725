import { expect, it, vi } from 'vitest';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { startTestPool } from './testing/test-pool.ts';

const waiting = (): string | undefined => /^worker_pool_waiting_calls (\d+)$/m.exec(registry.render())?.[1];

it('calls of a group go to one worker, as many at once as it may; the calls of others pass them', async () => {
  const { run } = startTestPool({ maxWorkers: 8, workersPerAccount: 2, callsPerWorker: 3 });
  const group = { name: 'db', limit: 2 };
  const home = await run('a', 'pid', { group });
  const stop = new AbortController();
  const held = Array.from({ length: 2 }, () => run('a', 'pidWhenCancelled', { group, signal: stop.signal }));
  const next = run('a', 'pid', { group });
  await vi.waitUntil(() => waiting() === '1', { timeout: 90_000 });
  expect(await run('a', 'pid', { group: { name: 'other', limit: 2 } })).toBe(home);
  stop.abort();
  expect(await Promise.all([...held, next])).toEqual([home, home, home]);
});

it('a group without a limit goes to its worker while that has room', async () => {
  const { run } = startTestPool({ maxWorkers: 8, workersPerAccount: 2, callsPerWorker: 1 });
  const group = { name: 'mcp', limit: undefined };
  const home = await run('a', 'pid', { group });
  const stop = new AbortController();
  const held = run('a', 'pidWhenCancelled', { group, signal: stop.signal });
  expect(await run('a', 'pid', { group })).not.toBe(home);
  stop.abort();
  expect(await held).toBe(home);
  for (let call = 0; call < 3; call += 1) expect(await run('a', 'pid', { group })).toBe(home);
});

it('a group whose worker is lost has another one', async () => {
  const { run } = startTestPool();
  const group = { name: 'db', limit: 1 };
  const home = await run('a', 'pid', { group });
  await expect(run('a', 'exit', { group })).rejects.toThrow('Its outcome is not known.');
  expect(await run('a', 'pid', { group })).not.toBe(home);
  expect(await run('a', 'echo', { group, value: 1 })).toBe(1);
});
