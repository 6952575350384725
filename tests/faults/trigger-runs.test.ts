import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { remove } from './support/api.ts';
import { openCrashPoints } from './support/crash-points.ts';
import type { CrashPoint, CrashPoints } from './support/crash-points.ts';
import { addContact } from './support/crm.ts';
import { startEventSink } from './support/event-sink.ts';
import type { EventSink } from './support/event-sink.ts';
import { createDestination, createTrigger } from './support/firings.ts';
import { allOf, freeze, kill } from './support/processes.ts';
import { isEverything } from './support/selection.ts';
import { prepareConnection } from './support/traffic.ts';

const stack = inject('stack');

const TRIGGERS = 'services/triggers/src/main.ts';
const LONG = { timeout: 900_000 };
/** Triggers per test: those of a dead process wait for the end of their claims, while others reach the next place. */
const TRIGGERS_EACH = 6;
/** A killed process's claim of a run, plus the next run. */
const ARRIVAL = { timeout: 240_000, interval: 500 };
/** The order of writes in the transaction: first cursor or time, then the events. */
const PLACES: readonly CrashPoint[] = [
  'triggers.bulkWrite.before',
  'triggers.bulkWrite.after',
  'outbox.insertMany.before',
  'outbox.insertMany.after',
];

let points: CrashPoints;
beforeAll(() => {
  points = openCrashPoints(stack);
});
afterAll(() => points.close());

/** New triggers of the seeded account until the test ends, and a receiver with a path for each. */
async function receive(members: object, numberOf: (payload: unknown) => number) {
  const sink = await startEventSink({ numberOf });
  const paths = Array.from({ length: TRIGGERS_EACH }, (_, at) => `/200/runs-${at}`);
  const triggers: string[] = [];
  onTestFinished(async () => {
    for (const id of triggers) await remove(`/v1/triggers/${id}`);
    sink.close();
  });
  for (const path of paths) {
    const destinationId = await createDestination(sink.url + path);
    triggers.push(await createTrigger({ name: 'Runs', destinationIds: [destinationId], ...members }));
  }
  return { sink, paths };
}

/** Kills a process of triggers at each place, and freezes one beyond its claims. */
async function breakRuns(beforeEach: () => Promise<unknown>): Promise<void> {
  for (const place of PLACES) {
    await points.arm('triggers', place);
    await beforeEach();
    await expect.poll(() => points.hasCrashed(), ARRIVAL).toBe(true);
    console.log(`a process died at ${place}`);
  }
  const [frozen, killed] = await allOf(stack, TRIGGERS);
  if (frozen === undefined || killed === undefined) throw new Error('There are too few replicas.');
  await beforeEach();
  const stopped = freeze(frozen, 100_000);
  kill(killed);
  await beforeEach();
  await stopped;
  await beforeEach();
}

/** The distinct numbers that arrived at a path; repeated events have the same id. */
function numbersAt(sink: EventSink, at: string): readonly number[] {
  const entries = sink.entries().filter(({ path }) => path === at);
  const byEvent = new Map(entries.map(({ eventId, number }) => [eventId, number]));
  return [...byEvent.values()].toSorted((a, b) => a - b);
}

it.runIf(isEverything)(
  'replicas of triggers die between the time and the event of a tick, and two of them meet at each: a tick fires once',
  LONG,
  async () => {
    const tick = z.object({ scheduledAt: z.iso.datetime() });
    const { sink, paths } = await receive(
      { triggerTypeSlug: 'schedule', configuration: { cron: '* * * * * *' } },
      (payload) => Date.parse(tick.parse(payload).scheduledAt),
    );
    const ticksOf = (): readonly (readonly number[])[] => paths.map((path) => numbersAt(sink, path));
    await breakRuns(async () => {
      const before = sink.entries().length;
      await expect.poll(() => sink.entries().length, ARRIVAL).toBeGreaterThan(before);
    });
    const before = ticksOf();
    const goOn = () => ticksOf().filter((ticks, at) => ticks.length > (before[at]?.length ?? 0)).length;
    await expect.poll(goOn, ARRIVAL).toBe(paths.length);
    const all = ticksOf();
    console.log(`${all.flat().length} ticks fired, ${sink.entries().length} requests`);
    expect(all.flat().filter((at) => at % 1_000 !== 0)).toEqual([]);
    for (const ticks of all) expect(new Set(ticks).size).toBe(ticks.length);
  },
);

it.runIf(isEverything)(
  'replicas of triggers die between the items and the cursor of a poll: each row of the vendor fires once',
  LONG,
  async () => {
    const ours = randomUUID();
    const contact = z.object({ name: z.string() });
    const connectionId = await prepareConnection(stack);
    const { sink, paths } = await receive(
      {
        triggerTypeSlug: 'sandbox-crm-contact-created',
        connectionId,
        configuration: { everySeconds: 10 },
        filter: `$contains(name, "${ours}")`,
      },
      (payload) => Number(contact.parse(payload).name.split(' ')[1]),
    );
    let added = 0;
    await breakRuns(async () => {
      for (let count = 0; count < 5; count += 1) {
        await addContact(`${ours} ${added}`);
        added += 1;
        await delay(5);
      }
    });
    const all = Array.from({ length: added }, (_, number) => number);
    const arrived = () => paths.map((path) => numbersAt(sink, path).length);
    await expect.poll(arrived, ARRIVAL).toEqual(paths.map(() => added));
    console.log(`${added} contacts for ${paths.length} triggers, ${sink.entries().length} requests`);
    for (const path of paths) expect(numbersAt(sink, path)).toEqual(all);
  },
);
