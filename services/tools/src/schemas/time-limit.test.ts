import { expect, test } from 'vitest';
import { runWithin, TimeLimitError } from './time-limit.ts';

/** Stands still without using the CPU, as a frozen process does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a function that never ends is stopped, and is not run again', () => {
  let runs = 0;
  const busy = (): void => {
    runs += 1;
    for (;;);
  };
  // A machine that is busy elsewhere gives this thread less than its time: here it has all of it.
  expect(() => runWithin(300, busy, () => performance.now())).toThrow(TimeLimitError);
  expect(runs).toBe(1);
});

test('whether the thread was at work is told by its CPU time', () => {
  const LIMIT_MS = 300;
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const startedAt: number[] = [];
  const busy = (): void => {
    startedAt.push(cpuMs());
    for (;;);
  };
  expect(() => runWithin(LIMIT_MS, busy)).toThrow(TimeLimitError);
  const [first = 0, second = cpuMs()] = startedAt;
  // A busy machine gives less than half of the time; only then is it run again. The clocks are read a moment apart.
  const used = second - first;
  const isTooClose = Math.abs(used - LIMIT_MS / 2) < 10;
  expect(isTooClose || (startedAt.length === 1) === used > LIMIT_MS / 2).toBe(true);
});

test('a process that stood still during a run is no reason to stop the function', () => {
  let runs = 0;
  const result = runWithin(300, () => {
    runs += 1;
    if (runs === 1) standStill(900);
    return 'done';
  });
  expect([result, runs]).toEqual(['done', 2]);
});

test('what stands still every time is given up', () => {
  expect(() => runWithin(20, () => standStill(100))).toThrow(TimeLimitError);
});

test('what the function throws passes', () => {
  const fail = (): never => {
    throw new RangeError('too deep');
  };
  expect(() => runWithin(50, fail)).toThrow(RangeError);
});
