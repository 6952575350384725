import { memoryUsage } from 'node:process';
import { expect, test } from 'vitest';
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

test('buffers that nobody holds any more are freed', async () => {
  const passed = createBufferCollector();
  const before = memoryUsage().arrayBuffers;
  for (let piece = 0; piece < 8; piece += 1) Buffer.alloc(MIB);
  expect(memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(before + 8 * MIB);
  passed(8 * MIB);
  await expect.poll(() => memoryUsage().arrayBuffers).toBeLessThan(before + 8 * MIB);
});
