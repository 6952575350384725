import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { expect, test } from 'vitest';
import { capturedEvent } from '../testing/firings.ts';
import { MADE_AT, SEEDED, trigger } from '../testing/triggers.ts';
import type { ClaimedTrigger, RunResult } from '../ports/trigger-store.ts';
import { createCountedRuns, observeRun } from './run-metrics.ts';

const schedule: ClaimedTrigger = {
  trigger: { ...trigger(), accountId: 'acc_1' },
  token: 'claimed',
  since: MADE_AT,
  poll: null,
};
const poll: ClaimedTrigger = { ...schedule, poll: { cursor: SEEDED, failures: 0 } };
const quiet: RunResult = { events: [], dueAt: MADE_AT };
const fired: RunResult = { ...quiet, events: [capturedEvent('te_1')] };

const NAME = /^(trigger_(?:runs|gaps)_total|trigger_run_duration_seconds_count)/;

/** The metrics by name and labels. The registry is the process's, so runs of other files are counted, too. */
const counts = (): ReadonlyMap<string, number> =>
  new Map(
    registry
      .render()
      .split('\n')
      .filter((line) => NAME.test(line))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );

test('runs are counted by kind and by how they ended, and the gaps of those that were committed', async () => {
  const before = counts();
  let isCommitted = true;
  const runs = createCountedRuns({ commit: () => Promise.resolve(isCommitted) });
  const gaps = [{ from: MADE_AT, to: MADE_AT, reason: 'away' }];
  for (const [run, result] of [
    [schedule, fired],
    [schedule, fired],
    [schedule, quiet],
    [poll, { ...quiet, lastError: 'Not for you.' }],
    [poll, { ...fired, gaps, lastError: null }],
  ] as const) {
    expect(await runs.commit(run, result)).toBe(true);
    observeRun(run, 20);
  }
  isCommitted = false;
  expect(await runs.commit(poll, { ...fired, gaps })).toBe(false);
  const added = [...counts()].map(([series, count]) => [series, count - (before.get(series) ?? 0)] as const);
  expect(Object.fromEntries(added.filter(([, count]) => count > 0))).toEqual({
    trigger_gaps_total: 1,
    'trigger_run_duration_seconds_count{kind="poll"}': 2,
    'trigger_run_duration_seconds_count{kind="schedule"}': 3,
    'trigger_runs_total{kind="poll",outcome="failed"}': 1,
    'trigger_runs_total{kind="poll",outcome="fired"}': 1,
    'trigger_runs_total{kind="poll",outcome="overtaken"}': 1,
    'trigger_runs_total{kind="schedule",outcome="fired"}': 2,
    'trigger_runs_total{kind="schedule",outcome="quiet"}': 1,
  });
});
