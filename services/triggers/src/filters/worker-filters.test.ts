import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import type { Evaluation, Program } from '@fairlead/evaluation/evaluation-workers';
import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkerFilters } from './worker-filters.ts';

const MIB = 1024 * 1024;
/** Backtracks forever, without JSONata noticing. */
const LOOP = '$match(body.text, /^(a+)+$/)[0].match = ""';
const LONG_MS = 60_000;
const o = { accountId: 'acc_1', signal: new AbortController().signal };
const SMALL = Buffer.from(JSON.stringify({ body: { a: 1, text: `${'a'.repeat(60)}!` } }));
/** The filter's result takes more memory than a worker may use. */
const LARGE = Buffer.from(`{"body":[${'{},'.repeat((5 * MIB) / 3)}{}]}`);

function realFilters() {
  const workers = createEvaluationWorkers({
    log: captureLog('info').log,
    clock: new ManualClock(new Date('2026-11-22T10:00:00Z')),
    poolLimits: { unresponsiveMs: LONG_MS, startMs: LONG_MS, idleMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  return createWorkerFilters(workers, LONG_MS);
}

test(
  'a filter is used as before after payloads that are too large for it',
  { timeout: LONG_MS },
  async () => {
    const filters = realFilters();
    for (const _ of [1, 2])
      expect(await filters.run('body.a = 1', LARGE, o)).toEqual({
        kind: 'failed',
        message: 'The filter failed: It took too long, or too much memory.',
      });
    expect(await filters.run('body.a = 1', SMALL, o)).toEqual({ kind: 'passed' });
  },
);

test('a filter that loops is not run any more after the second time', { timeout: LONG_MS }, async () => {
  const filters = realFilters();
  const messages: unknown[] = [];
  for (const _ of [1, 2, 3]) messages.push(await filters.run(LOOP, SMALL, o));
  expect(messages).toMatchObject([
    { message: expect.stringContaining('It took too long') as string },
    { message: expect.stringContaining('It took too long') as string },
    { message: expect.stringContaining('more than once') as string },
  ]);
});

test('a run may take 100 ms of processor time and half as much for each MiB; beyond 64 KiB it is not held against the filter', async () => {
  const given: unknown[] = [];
  const filters = createWorkerFilters({
    evaluate(_accountId, { runMs }: Program, _input, { excessCounts }): Promise<Evaluation> {
      given.push({ runMs, excessCounts });
      return Promise.resolve({ kind: 'tooCostly' });
    },
  });
  for (const bytes of [1, 64 * 1024, 64 * 1024 + 1, 5 * MIB]) await filters.run('x', Buffer.alloc(bytes), o);
  expect(given).toEqual([
    { runMs: 101, excessCounts: true },
    { runMs: 104, excessCounts: true },
    { runMs: 104, excessCounts: false },
    { runMs: 350, excessCounts: false },
  ]);
});
