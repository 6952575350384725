import { expect, test } from 'vitest';
import { runWithin, TimeLimitError } from './time-limit.ts';

/** Blocks without using the CPU, as a frozen process does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a function that never ends is stopped, and is not run again', () => {
  let runs = 0;
  const busy = (): void => {
    runs += 1;
    for (;;);
  };
  // On a busy machine this thread may get less CPU time; here it counts as getting all of it.
  expect(() => runWithin(300, busy, () => performance.now())).toThrow(TimeLimitError);
  expect(runs).toBe(1);
});

test('the CPU time shows whether the thread was working', () => {
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

test('a process that was suspended during a run does not stop the function', () => {
  let runs = 0;
  const result = runWithin(300, () => {
    runs += 1;
    if (runs === 1) standStill(900);
    return 'done';
  });
  expect([result, runs]).toEqual(['done', 2]);
});

test('a function is given up if every run is suspended', () => {
  expect(() => runWithin(20, () => standStill(100))).toThrow(TimeLimitError);
});

test('errors of the function are rethrown', () => {
  const fail = (): never => {
    throw new RangeError('too deep');
  };
  expect(() => runWithin(50, fail)).toThrow(RangeError);
});
