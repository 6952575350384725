import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { PollState } from '../domain/poll.ts';
import type { CallResult, PollRead } from '../ports/trigger-calls.ts';
import { outboxCollection } from '../storage/outbox.collection.ts';
import { createOutboxRepository } from '../storage/outbox.repository.ts';
import { schema } from '../storage/schema.ts';
import {
  DUE_PATH,
  dueOf,
  POLL_PARTITIONS,
  SCHEDULE_PARTITIONS,
  triggerCollection,
} from '../storage/trigger.collection.ts';
import { claimedRun } from '../storage/trigger.repository.ts';
import { createTriggerRuns } from '../storage/trigger-runs.repository.ts';
import { MADE_AT, neighbours, POLL_TYPE, SEEDED, trigger } from '../testing/triggers.ts';
import { startTriggerRunner } from './trigger-runner.ts';

const PERIOD_MS = 10_000;
const PATIENCE = { timeout: 90_000, interval: 20 };
const FIRST_TICK = new Date(MADE_AT.getTime() + PERIOD_MS);

let store: MongoStore & { drop(): Promise<void> };
let clock: ManualClock;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());
beforeEach(async () => {
  clock = new ManualClock(FIRST_TICK);
  for (const { name } of [triggerCollection, outboxCollection])
    await store.db.collection(name).deleteMany({});
});

/** Triggers that run every ten seconds and are due. */
async function insert(count: number, accountId: string, poll: PollState | null): Promise<void> {
  const { id: _id, configuration: _all, hookToken: _none, ...same } = trigger();
  await store.collection(triggerCollection).insertMany(
    Array.from({ length: count }, () => ({
      ...same,
      _id: prefixedId('trg'),
      accountId,
      triggerTypeSlug: poll === null ? 'schedule' : POLL_TYPE.slug,
      configuration: JSON.stringify({ everySeconds: PERIOD_MS / 1_000 }),
      due: dueOf(accountId, FIRST_TICK, poll !== null),
      poll,
    })),
  );
}

/** Starts the runner of schedules or polls; it checks for due triggers at start and when woken only. Polls never end. */
function start(name: 'schedules' | 'polls') {
  const timers: Timers = {
    after: (ms, run) => (ms <= 1_000 ? { cancel: () => undefined } : systemTimers.after(ms, run)),
  };
  const hung = Promise.withResolvers<CallResult<PollRead>>();
  let asked = 0;
  const runner = startTriggerRunner(
    {
      clock,
      timers,
      log: captureLog().log,
      claimedRun,
      claims: createClaims(store, triggerCollection, DUE_PATH, {
        partitions: name === 'polls' ? POLL_PARTITIONS : SCHEDULE_PARTITIONS,
        hasTimeIndex: true,
      }),
      types: neighbours(POLL_TYPE).types,
      filters: { run: () => Promise.reject(new Error('No trigger has a filter.')) },
      calls: {
        readPoll() {
          asked += 1;
          return hung.promise;
        },
      },
      runs: createTriggerRuns({
        store,
        outbox: createOutboxRepository(store),
        stream: { offer: () => undefined },
        clock,
      }),
    },
    name,
  );
  onTestFinished(async () => {
    hung.resolve({ isSuccess: false, errorMessage: 'The application is gone.' });
    await runner.close();
  });
  return { runner, asked: () => asked };
}

const groups = () => store.collection(outboxCollection).find().toArray();
const firings = async (): Promise<readonly string[]> => (await groups()).flatMap((group) => group.firings);

test('1 000 schedules of an account that are due at once fire after one look, in few commits, and at their next time again', async () => {
  await insert(1_000, prefixedId('acc'), null);
  const { runner } = start('schedules');
  await expect.poll(async () => (await firings()).length, PATIENCE).toBe(1_000);
  // At most 50 commits; most runs share one.
  expect((await groups()).length).toBeLessThan(200);
  clock.advance(PERIOD_MS);
  runner.wake();
  await expect.poll(async () => (await firings()).length, PATIENCE).toBe(2_000);
  const ticks = (await firings()).map((firing) => firing.split(' ')[1]);
  const second = new Date(FIRST_TICK.getTime() + PERIOD_MS);
  for (const tick of [FIRST_TICK, second])
    expect(ticks.filter((each) => each === `tick:${tick.toISOString()}`)).toHaveLength(1_000);
  expect(new Set(await firings()).size).toBe(2_000);
}, 120_000);

test('polls that hang, of ten accounts, take every permit of polls and none of schedules', async () => {
  const hanging = Array.from({ length: 10 }, () => prefixedId('acc'));
  for (const accountId of hanging) await insert(11, accountId, { cursor: SEEDED, failures: 0 });
  const { asked } = start('polls');
  await expect.poll(asked, PATIENCE).toBe(100);
  // Accounts: one of its own, and one whose polls never end.
  for (const accountId of [prefixedId('acc'), ...hanging.slice(0, 1)]) await insert(60, accountId, null);
  start('schedules');
  await expect.poll(async () => (await firings()).length, PATIENCE).toBe(120);
  expect(asked()).toBe(100);
});
