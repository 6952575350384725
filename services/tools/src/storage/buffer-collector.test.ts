import { PerformanceObserver, constants } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { createBufferCollector } from './buffer-collector.ts';

const MIB = 1024 * 1024;

test('what has passed is collected every 4 MiB, in pieces of any size', () => {
  let collections = 0;
  const passed = createBufferCollector(() => void (collections += 1));
  for (let piece = 0; piece < 64; piece += 1) passed(MIB / 4);
  expect(collections).toBe(4);
  passed(9 * MIB);
  passed(MIB);
  expect(collections).toBe(5);
});

test('it is a minor collection of V8, which frees what was allocated lately', async () => {
  const passed = createBufferCollector();
  const collections: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collections.push('detail' in entry ? entry.detail : undefined);
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  passed(8 * MIB);
  await expect
    .poll(() => collections)
    .toContainEqual({
      kind: constants.NODE_PERFORMANCE_GC_MINOR,
      flags: constants.NODE_PERFORMANCE_GC_FLAGS_FORCED,
    });
});
