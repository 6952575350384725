import { expect, inject, it, onTestFinished } from 'vitest';
import { startEventSink } from './support/event-sink.ts';
import { makeDestination, makeFirings } from './support/firings.ts';
import { judge } from './support/judge.ts';
import { openLedger } from './support/ledger.ts';
import { kill, processesOf } from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const DELIVERY = 'services/delivery/src/main.ts';
const BACKLOG = 100_000;
/** The sink's disk has a flush for each event. */
const DELIVERED = { timeout: 1_500_000, interval: 5_000 };
/** Of another destination, while the backlog is worked off. */
const OTHERS = 100;

it.runIf(isEverything)(
  'a backlog of 100 000 at one destination outlasts kill -9 of every replica, is delivered once it answers, and holds up no other',
  { timeout: 3_600_000 },
  async () => {
    const ledger = await openLedger();
    const opening = Promise.withResolvers<undefined>();
    const silent = await startEventSink({ opened: opening.promise });
    const lively = await startEventSink();
    onTestFinished(async () => {
      opening.resolve(undefined);
      for (const sink of [silent, lively]) sink.close();
      await ledger.close();
    });
    const path = '/200/backlog';
    const [destinationId, other] = [
      await makeDestination(silent.url + path),
      await makeDestination(lively.url + path),
    ];
    const firings = await makeFirings([destinationId]);
    await firings.fireUntil(() => firings.acknowledged.size >= BACKLOG);
    await expect.poll(() => ledger.openTo(destinationId), DELIVERED).toBe(firings.acknowledged.size);

    const inFlight = await ledger.claimed(destinationId);
    for (const id of processesOf(stack, DELIVERY)) kill(id);
    opening.resolve(undefined);
    // What is fired now arrives while the backlog is there.
    const others = await makeFirings([other]);
    await others.fireUntil(() => others.acknowledged.size >= OTHERS);
    await expect
      .poll(() => lively.entries().length, { timeout: 120_000, interval: 500 })
      .toBeGreaterThanOrEqual(others.acknowledged.size);
    const leftThen = await ledger.openTo(destinationId);

    await expect.poll(() => ledger.openTo(destinationId), DELIVERED).toBe(0);
    const fate = await judge(ledger, { sink: silent, path, destinationId, firings, inFlight });
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
