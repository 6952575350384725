import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { Claim, Claims } from '@fairlead/service-kit/sweep/claims';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Filters } from '../ports/filters.ts';
import type { ClaimedTrigger } from '../ports/trigger-store.ts';
import { MADE_AT, neighbours, SCHEDULE_TYPE, trigger } from '../testing/triggers.ts';
import { startTriggerRunner } from './trigger-runner.ts';

/** How late the runner is. */
const LATE_MS = 3;
const claimed: Claim<object> = { document: {}, token: 'claimed', partition: 'acc_1', since: MADE_AT };

/**
 * A runner with one due schedule whose filter ends as given; records what it did. Nothing is committed if it was changed; the first
 * `failures` attempts to postpone it fail.
 */
async function run(
  filters: Pick<Filters, 'run'>,
  { isChanged = false, failures = 0 } = {},
): Promise<readonly string[]> {
  const steps: string[] = [];
  let failuresLeft = failures;
  let isDue = true;
  const claims: Claims<object> = {
    duePartitions: () => Promise.resolve(isDue ? [{ partition: 'acc_1', at: MADE_AT }] : []),
    claim: () => Promise.reject(new Error('Partitions are claimed together.')),
    claimEach() {
      const due = isDue ? [claimed] : [];
      isDue = false;
      return Promise.resolve(due);
    },
    settle(_settled, { at }) {
      steps.push(`due again ${(at?.getTime() ?? NaN) - MADE_AT.getTime()} ms after it was`);
      return Promise.resolve(true);
    },
    defer(deferred, at) {
      // The sweep itself postpones nothing here.
      if (deferred.length === 0) return Promise.resolve();
      failuresLeft -= 1;
      if (failuresLeft >= 0) return Promise.reject(new Error('No mongod.'));
      steps.push(`deferred by ${at.getTime() - MADE_AT.getTime()} ms`);
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
  const claimedRun = (): ClaimedTrigger => ({
    trigger: {
      ...trigger({ configuration: LazyJson.of({ everySeconds: 10 }), filter: 'scheduledAt != ""' }),
      accountId: 'acc_1',
    },
    token: 'claimed',
    since: MADE_AT,
    poll: null,
  });
  const { log, lines } = captureLog();
  const runs = {
    commit(_run: unknown, { events }: { readonly events: readonly unknown[] }) {
      if (!isChanged) steps.push(`committed with ${events.length} events`);
      return Promise.resolve(!isChanged);
    },
  };
  const { types } = neighbours(SCHEDULE_TYPE);
  const calls = { readPoll: () => Promise.reject(new Error('It is no poll.')) };
  const clock = new ManualClock(new Date(MADE_AT.getTime() + LATE_MS));
  /** Timers run a thousand times faster. */
  const timers: Timers = { after: (delayMs, then) => systemTimers.after(delayMs / 1_000, then) };
  const deps = { claims, claimedRun, runs, types, calls, filters, clock, log, timers };
  const runner = startTriggerRunner(deps, 'schedules');
  onTestFinished(() => runner.close());
  await expect.poll(() => steps.length + lines().length).toBeGreaterThan(0);
  await runner.close();
  return [...steps, ...lines().map(({ msg }) => String(msg))];
}

test('a run whose filter passes is committed', async () => {
  expect(await run({ run: () => Promise.resolve({ kind: 'passed' }) })).toEqual(['committed with 1 events']);
});

test('a run for which there is no worker in time is tried again soon, not when its claim ends', async () => {
  const busy = new ApiError('RATE_LIMIT_EXCEEDED', 'No worker was free.');
  expect(await run({ run: () => Promise.reject(busy) })).toEqual([
    `deferred by ${2_000 + LATE_MS} ms`,
    'a run of a trigger is tried again in a moment',
  ]);
});

test('a run that a change has overtaken is due for the same time again, which is a tick of its schedule', async () => {
  const passed = { run: () => Promise.resolve({ kind: 'passed' as const }) };
  expect(await run(passed, { isChanged: true })).toEqual([
    'due again 0 ms after it was',
    'a run of a trigger was overtaken by a change',
  ]);
});

test('a run that cannot be put off because the database is away is put off once that is back', async () => {
  const away = { run: () => Promise.reject(new ApiError('UNAVAILABLE', 'No mongod.')) };
  expect(await run(away, { failures: 3 })).toEqual([
    `deferred by ${2_000 + LATE_MS} ms`,
    'a run of a trigger is tried again in a moment',
  ]);
});

test('a run that fails otherwise waits for the end of its claim', async () => {
  expect(await run({ run: () => Promise.reject(new TypeError('defect')) })).toEqual([
    'work on a due document failed',
  ]);
});
