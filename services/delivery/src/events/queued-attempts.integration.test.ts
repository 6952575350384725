import { systemClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { newEvent, openTestNats } from '@fairlead/service-kit/testing/nats';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openTestLedger } from '../testing/ledger.ts';
import { startSink } from '../testing/sink.ts';
import { recordEvents } from '../use-cases/record-events.ts';
import { ATTEMPT_LIMITS } from '../workers/attempt-queues.ts';
import type { AttemptLimits } from '../workers/attempt-queues.ts';
import { createWakeAttempts } from './queued-attempts.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
const SECOND_MS = 1_000;
const NO_ROOM: AttemptLimits = { ...ATTEMPT_LIMITS, total: 0, waiting: 0 };

test('a replica that has queued attempts wakes the others over NATS, and itself once', async () => {
  const { log } = captureLog();
  const looks = [0, 0, 0];
  const replicas = await Promise.all(
    looks.map(async (_, at) => {
      const wake = (): void => void (looks[at] = (looks[at] ?? 0) + 1);
      return createWakeAttempts({ nats: await openTestNats(), wake, clock: systemClock, log });
    }),
  );
  const [first, second] = replicas;
  /** Time until the others receive messages: a subscription takes effect a little later. */
  const untilWoken = (queue: (() => void) | undefined, others: readonly number[]): Promise<void> => {
    const before = [...looks];
    const woken = (): boolean => {
      queue?.();
      return others.every((at) => (looks[at] ?? 0) > (before[at] ?? 0));
    };
    return expect.poll(woken).toBe(true);
  };
  await untilWoken(first, [1, 2]);
  await untilWoken(second, [0, 2]);
});

/** A worker's periodic checks, a second after the last one, happen when the test says so. */
function heldLooks() {
  const held: (() => void)[] = [];
  const timers: Timers = {
    after(delayMs, run) {
      if (delayMs < SECOND_MS) return systemTimers.after(delayMs, run);
      held.push(run);
      return { cancel: () => undefined };
    },
  };
  /** Resolves when the worker has checked, and waits to be woken. */
  const hasLooked = (): Promise<unknown> => vi.waitUntil(() => held.length > 0, PATIENCE);
  return { timers, hasLooked, lookNow: () => held.at(-1)?.() };
}

/** A replica without free permits, another one that waits to be woken, and a destination. */
async function twoReplicas() {
  const ledger = await openTestLedger(inject('mongodbUri'));
  const receiver = await startSink(() => 204);
  const looks = heldLooks();
  const full = ledger.worker({ limits: NO_ROOM });
  const idle = ledger.worker({ timers: looks.timers });
  onTestFinished(async () => {
    await Promise.all([full.close(), idle.close()]);
    await receiver.close();
    await ledger.close();
  });
  await looks.hasLooked();
  const { accountId, id } = await ledger.destination({ url: receiver.url });
  const isDelivered = (): Promise<unknown> =>
    vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 1, PATIENCE);
  return { ledger, receiver, looks, full, idle, event: ledger.event(accountId, [id]), isDelivered };
}

test('an attempt for which the recording replica has no room is made by another one, which only the message wakes', async () => {
  const { ledger, receiver, full, idle, event, isDelivered } = await twoReplicas();
  const { clock, log, deliveries } = ledger;
  const nats = await openTestNats();
  createWakeAttempts({ nats, wake: () => idle.wake(), clock, log });
  // Messages are ordered: after this one, NATS has the earlier ones, too.
  const isSubscribed = (): Promise<boolean> =>
    nats.publish(newEvent(), {}).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isSubscribed, PATIENCE);
  const wake = createWakeAttempts({ nats: await openTestNats(), wake: () => full.wake(), clock, log });
  await recordEvents({ deliveries, firstAttempts: { ...full, wake } }, [event]);
  await isDelivered();
  expect(receiver.received).toHaveLength(1);
});

test('without the message, another replica makes it at its next look', async () => {
  const { receiver, looks, full, event, isDelivered } = await twoReplicas();
  await full.record([event]);
  expect(receiver.received).toEqual([]);
  looks.lookNow();
  await isDelivered();
  expect(receiver.received).toHaveLength(1);
});
