import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { post, read, remove } from './support/api.ts';
import { openCrashPoints } from './support/crash-points.ts';
import type { CrashPoint, CrashPoints } from './support/crash-points.ts';
import { startEventSink } from './support/event-sink.ts';
import type { EventSink } from './support/event-sink.ts';
import { createDestination, createFirings } from './support/firings.ts';
import { judge } from './support/judge.ts';
import type { Case, Fate } from './support/judge.ts';
import { openLedger } from './support/ledger.ts';
import type { Ledger } from './support/ledger.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

/** Pause between two calls that may make a process reach the place. */
const PAUSE_MS = 25;
/** Interval of checks whether the process has died. */
const LOOK_MS = 10;
/** A stream resumes 30 s after its consumer died, and leases end by then. */
const REACHED_MS = 120_000;

/**
 * Ways to make a process reach a crash point: a call to a trigger whose destination accepts, or refuses permanently; a call to a trigger
 * with two destinations, of which both accept or one refuses; or a replay.
 */
type Act = 'accepted' | 'refused' | 'several' | 'mixed' | 'replay' | 'replayMany';

interface Place {
  readonly service: 'gateway' | 'triggers' | 'delivery';
  readonly point: CrashPoint;
  readonly act: Act;
  /** The two steps between which the crash point is. */
  readonly between: string;
}

/** Cases run in CI: where the result of one step is not known to the next one yet. */
const CHOSEN: readonly Place[] = [
  {
    service: 'gateway',
    point: 'answer.202.before',
    act: 'accepted',
    between: 'the capture and the 202 of the call',
  },
  {
    service: 'delivery',
    point: 'events.insertMany.after',
    act: 'accepted',
    between: 'the ledger and its acknowledgement, and before the send of what was born claimed',
  },
  {
    service: 'delivery',
    point: 'deliveries.bulkWrite.before',
    act: 'accepted',
    between: 'the 2xx and its settlement',
  },
];

const REST: readonly Place[] = [
  {
    service: 'triggers',
    point: 'outbox.insertMany.after',
    act: 'accepted',
    between: 'the capture and the publication',
  },
  {
    service: 'triggers',
    point: 'outbox.insertMany.before',
    act: 'accepted',
    between: 'the call and its capture',
  },
  {
    service: 'delivery',
    point: 'deliveries.insertMany.before',
    act: 'accepted',
    between: 'the pull and the ledger',
  },
  {
    service: 'triggers',
    point: 'event_days.bulkWrite.after',
    act: 'accepted',
    between: 'the count of the day and the confirmation, in one transaction',
  },
  {
    service: 'triggers',
    point: 'outbox.updateMany.before',
    act: 'accepted',
    between: 'the publication and the confirmation',
  },
  {
    service: 'delivery',
    point: 'deliveries.insertMany.after',
    act: 'accepted',
    between: 'the deliveries of an event and the event',
  },
  {
    service: 'triggers',
    point: 'outbox.updateMany.after',
    act: 'accepted',
    between: 'the confirmation and what comes next',
  },
  {
    service: 'delivery',
    point: 'deliveries.bulkWrite.after',
    act: 'accepted',
    between: 'the settlement and what comes next',
  },
  {
    service: 'delivery',
    point: 'deliveries.updateMany.before',
    act: 'replay',
    between: 'the look at what is due and its claim',
  },
  {
    service: 'delivery',
    point: 'deliveries.updateMany.after',
    act: 'replay',
    between: 'the claim and the send',
  },
  {
    service: 'delivery',
    point: 'events.bulkWrite.after',
    act: 'several',
    between: 'the deliveries of an event that has two and the commit of what has become of it',
  },
  {
    service: 'delivery',
    point: 'events.updateOne.after',
    act: 'mixed',
    between: 'the dead letter of an event that has two destinations and the commit of what has become of it',
  },
  {
    service: 'delivery',
    point: 'deliveries.updateOne.before',
    act: 'refused',
    between: 'the refusal and its dead letter',
  },
  {
    service: 'delivery',
    point: 'deliveries.updateOne.after',
    act: 'refused',
    between: 'the dead letter and its count, in one transaction',
  },
  {
    service: 'delivery',
    point: 'destinations.findOneAndUpdate.after',
    act: 'refused',
    between: 'the count of a dead letter and the commit of its transaction',
  },
  {
    service: 'delivery',
    point: 'replays.insertMany.after',
    act: 'replayMany',
    between: 'the request to replay many and its answer',
  },
  {
    service: 'delivery',
    point: 'replays.deleteOne.after',
    act: 'replayMany',
    between: 'the first and the last write of a replay of many',
  },
];

const trigger = z.object({ destinationIds: z.array(z.string()) });

let sink: EventSink;
let points: CrashPoints;
let ledger: Ledger;
beforeAll(async () => {
  [sink, ledger] = await Promise.all([startEventSink(), openLedger()]);
  points = openCrashPoints(stack);
});
afterAll(async () => {
  points.close();
  sink.close();
  await ledger.close();
});

it(
  'processes die between two writes of capture, relay, ledger, claim, send and settlement: nothing is lost',
  { timeout: isEverything ? 1_200_000 : 600_000 },
  async () => {
    const from = new Date().toISOString();
    const to = async (path: string, members = {}) => {
      const destinationId = await createDestination(sink.url + path, members);
      return { sink, path, destinationId, inFlight: [] as string[] };
    };
    const [ok, dead] = [await to('/200/one'), await to('/410/one', { maxConsecutiveFailures: 100 })];
    const both = [await to('/200/first'), await to('/200/second')];
    const mix = [await to('/200/third'), await to('/410/second', { maxConsecutiveFailures: 100 })];
    const accepted = await createFirings([ok.destinationId]);
    const refused = await createFirings([dead.destinationId]);
    const several = await createFirings(both.map(({ destinationId }) => destinationId));
    const mixed = await createFirings(mix.map(({ destinationId }) => destinationId));
    const acts: Readonly<Record<Act, () => Promise<unknown>>> = {
      accepted: () => accepted.fire(),
      refused: () => refused.fire(),
      several: () => several.fire(),
      mixed: () => mixed.fire(),
      async replay() {
        const [id = ''] = [...accepted.acknowledged.keys()].slice(-1);
        await post(`/v1/triggers/events/${id}/replay`, {});
      },
      replayMany: () =>
        post('/v1/triggers/events/replay', {
          destinationId: ok.destinationId,
          from,
          delivery: 'delivered',
        }),
    };
    const places = isEverything ? [...CHOSEN, ...REST] : CHOSEN;
    for (const { service, point, act, between } of places) {
      await points.arm(service, point);
      const started = performance.now();
      const died = (async () => {
        while (!points.hasCrashed()) {
          await delay(LOOK_MS);
          if (performance.now() - started > REACHED_MS) throw new Error(`${service} never came to ${point}`);
        }
        // Concurrently, because a dead process's claims end only after half a minute.
        await Promise.all(
          [ok, dead, ...both, ...mix].map(async ({ destinationId, inFlight }) =>
            inFlight.push(...(await ledger.claimed(destinationId))),
          ),
        );
      })();
      const actUntilThen = async (): Promise<void> => {
        while (!points.hasCrashed() && performance.now() - started < REACHED_MS) {
          await acts[act]();
          await delay(PAUSE_MS);
        }
      };
      await Promise.all([died, actUntilThen()]);
      console.log(`${new Date().toISOString()}: ${service} died at ${point}, between ${between}`);
    }
    const isReplayed = () => places.some(({ act }) => act === 'replay' || act === 'replayMany');
    const cases: readonly Case[] = [
      { ...ok, firings: accepted, isReplayed },
      { ...dead, firings: refused },
      ...both.map((one) => ({ ...one, firings: several })),
      ...mix.map((one) => ({ ...one, firings: mixed })),
    ];
    const fates: Fate[] = [];
    for (const each of cases) fates.push(await judge(ledger, each));
    console.log(`${places.length} crashes`);
    console.table(fates);
    for (const { lost, unexplained } of fates)
      expect({ lost, unexplained }).toEqual({ lost: 0, unexplained: [] });
    for (const { duplicates, inFlight } of fates) expect(duplicates).toBeLessThanOrEqual(inFlight);
  },
);

it(
  'a destination that is deleted when the process that takes it out of its trigger dies is taken out, and gets nothing more',
  { timeout: 300_000 },
  async () => {
    const [gone, stays] = [
      await createDestination(`${sink.url}/503/gone`),
      await createDestination(`${sink.url}/200/stays`),
    ];
    const firings = await createFirings([gone, stays]);
    await expect.poll(() => firings.fire(), { timeout: 120_000, interval: 200 }).toBe(true);
    // The delivery waits for its second attempt.
    await expect.poll(() => ledger.openTo(gone), { timeout: 120_000, interval: 200 }).toBe(1);
    await points.arm('triggers', 'triggers.updateMany.before');
    await remove(`/v1/triggers/destinations/${gone}`);
    const destinations = async (): Promise<unknown> =>
      trigger.parse(await read(`/v1/triggers/${firings.triggerId}`)).destinationIds;
    await expect.poll(destinations, { timeout: 120_000, interval: 500 }).toEqual([stays]);
    expect(points.hasCrashed()).toBe(true);
    await expect.poll(() => ledger.openTo(gone), { timeout: 120_000, interval: 500 }).toBe(0);
    expect(sink.entries().filter(({ path }) => path === '/503/gone')).toHaveLength(1);
  },
);
