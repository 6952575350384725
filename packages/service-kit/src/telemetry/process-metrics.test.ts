import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRegistry } from './metrics.ts';
import { measureProcess } from './process-metrics.ts';

function values(page: string): Record<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

test('a process reports its CPU, memory, files, event loop and garbage collector', () => {
  const registry = createRegistry();
  measureProcess(registry);
  const page = registry.render();
  const seen = values(page);
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
    'nodejs_heap_size_used_bytes',
    'nodejs_heap_size_limit_bytes',
    'nodejs_external_memory_bytes',
  ]) {
    expect(seen[name], name).toBeGreaterThan(0);
  }
  expect(seen['nodejs_eventloop_lag_p99_seconds']).toBeGreaterThanOrEqual(0);
  expect(seen['nodejs_eventloop_utilization']).toBeLessThanOrEqual(1);
  expect(page).toContain('# TYPE nodejs_gc_duration_seconds histogram');
});

test('a blocked event loop shows as lag, until the page was read', async () => {
  const registry = createRegistry();
  measureProcess(registry);
  const lag = () => values(registry.render())['nodejs_eventloop_lag_max_seconds'] ?? 0;
  let worst = 0;
  for (let attempt = 0; worst < 0.1 && attempt < 10; attempt += 1) {
    // The first block only arms the monitor, which measures from one firing of its timer to the next.
    for (let blocks = 0; blocks < 2; blocks += 1) {
      const end = performance.now() + 200;
      while (performance.now() < end);
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
    worst = lag();
  }
  expect(worst).toBeGreaterThan(0.1);
  expect(lag()).toBeLessThan(worst);
});
