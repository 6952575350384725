import { expect, inject, it, onTestFinished } from 'vitest';
import { startEventSink } from './support/event-sink.ts';
import { createDestination, createFirings } from './support/firings.ts';
import { judge } from './support/judge.ts';
import { openLedger } from './support/ledger.ts';
import { kill, processesOf } from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const DELIVERY = 'services/delivery/src/main.ts';
const BACKLOG = 100_000;
/** Far below the timeout of an attempt. */
const SLOW_MS = 3_000;
/** Rate of the backlog: the receiver flushes its disk for each event. */
const DELIVERED = { timeout: 1_500_000, interval: 5_000 };
/** Number of events for another destination during the backlog. */
const OTHERS = 100;

it.runIf(isEverything)(
  'a backlog of 100 000 at one destination outlasts kill -9 of every replica, is delivered once it is fast again, and holds up no other',
  { timeout: 3_600_000 },
  async () => {
    const ledger = await openLedger();
    let delayMs = SLOW_MS;
    const slow = await startEventSink({ delayMs: () => delayMs });
    const lively = await startEventSink();
    onTestFinished(async () => {
      for (const sink of [slow, lively]) sink.close();
      await ledger.close();
    });
    const path = '/200/backlog';
    const [destinationId, other] = [
      await createDestination(slow.url + path),
      await createDestination(lively.url + path),
    ];
    const firings = await createFirings([destinationId]);
    await firings.fireUntil(() => firings.acknowledged.size >= BACKLOG);
    const arrived = (): number => slow.entries().length;
    await expect
      .poll(async () => (await ledger.openTo(destinationId)) + arrived(), DELIVERED)
      .toBeGreaterThanOrEqual(firings.acknowledged.size);
    expect(arrived()).toBeLessThan(BACKLOG / 10);

    for (const id of processesOf(stack, DELIVERY)) kill(id);
    const inFlight = await ledger.claimed(destinationId);
    delayMs = 0;
    // Events fired now arrive in spite of the backlog.
    const others = await createFirings([other]);
    await others.fireUntil(() => others.acknowledged.size >= OTHERS);
    await expect
      .poll(() => lively.entries().length, { timeout: 120_000, interval: 500 })
      .toBeGreaterThanOrEqual(others.acknowledged.size);
    const leftThen = await ledger.openTo(destinationId);

    await expect.poll(() => ledger.openTo(destinationId), DELIVERED).toBe(0);
    const fate = await judge(ledger, { sink: slow, path, destinationId, firings, inFlight });
    console.log({ ...fate, leftThen });
    expect(leftThen).toBeGreaterThan(0);
    expect(fate).toMatchObject({
      acknowledged: firings.acknowledged.size,
      lost: 0,
      unexplained: [],
      isDisabled: false,
    });
  },
);
