import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { get, patch, post, remove } from './support/api.ts';
import { openCrashPoints } from './support/crash-points.ts';
import type { CrashPoint, CrashPoints } from './support/crash-points.ts';
import {
  addContact,
  addDeal,
  answeredByVendor,
  changeDeal,
  registeredAtVendor,
  setVendor,
} from './support/crm.ts';
import { startEventSink } from './support/event-sink.ts';
import { createDestination, createTrigger } from './support/firings.ts';
import { allOf, kill, untilServing } from './support/processes.ts';
import { isEverything } from './support/selection.ts';
import { prepareConnection } from './support/traffic.ts';

const stack = inject('stack');

const TRIGGERS = 'services/triggers/src/main.ts';
const LONG = { timeout: 900_000 };
/** A killed process's claim of an intent, plus a late registration, plus starting processes. */
const ARRIVAL = { timeout: 240_000, interval: 500 };
/** The places in the registration of a new trigger, in order. */
const PLACES: readonly (readonly [CrashPoint, string])[] = [
  ['vendor_webhooks.insertOne.after', 'the intent and the call of the vendor'],
  ['vendor_webhooks.updateOne.before', 'the call of the vendor and what it has answered'],
  ['triggers.insertOne.before', 'what the vendor has answered and the trigger'],
  ['triggers.insertOne.after', 'the trigger and the answer to its caller'],
];

const listed = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) });
const events = z.object({ items: z.array(z.object({ payload: z.object({ id: z.string() }) })) });

let points: CrashPoints;
let connectionId: number;
beforeAll(async () => {
  points = openCrashPoints(stack);
  connectionId = await prepareConnection(stack);
});
afterAll(() => points.close());

/** The vendor's own list of new registrations, at each call. */
async function newRegistrations(): Promise<() => Promise<number>> {
  const before = new Set((await registeredAtVendor()).map(({ id }) => id));
  return async () => (await registeredAtVendor()).filter(({ id }) => !before.has(id)).length;
}

const watching = (name: string) => ({
  name,
  triggerTypeSlug: 'sandbox-crm-deal-updated',
  connectionId,
});

it.runIf(isEverything)(
  'replicas of triggers die before and after the vendor is called: it has one registration for each trigger, and no other',
  LONG,
  async () => {
    const name = `Registered ${randomUUID()}`;
    const registered = await newRegistrations();
    const triggers = async (): Promise<readonly string[]> => {
      const { body } = await get('/v1/triggers?top=100');
      return listed.parse(body).items.flatMap((each) => (each.name === name ? [each.id] : []));
    };
    for (const [place, between] of PLACES) {
      await points.arm('triggers', place);
      const died = async (): Promise<boolean> => {
        if (!points.hasCrashed()) await post('/v1/triggers', watching(name));
        return points.hasCrashed();
      };
      await expect.poll(died, ARRIVAL).toBe(true);
      console.log(`a process died at ${place}, between ${between}`);
    }
    await allOf(stack, TRIGGERS);
    const ids = await triggers();
    console.log(`${ids.length} triggers, ${await registered()} registrations`);
    await expect.poll(registered, ARRIVAL).toBe(ids.length);

    const dealId = await addDeal(name);
    await changeDeal(dealId, 1);
    for (const id of ids) {
      const fired = async (): Promise<readonly string[]> => {
        const { body } = await get(`/v1/triggers/events?triggerId=${id}`);
        return events.parse(body).items.map(({ payload }) => payload.id);
      };
      await expect.poll(fired, ARRIVAL).toEqual([dealId]);
    }
    for (const id of ids) await remove(`/v1/triggers/${id}`);
    await expect.poll(registered, ARRIVAL).toBe(0);
  },
);

it('a trigger is deleted while its vendor is down, and a replica dies: the vendor forgets it once it is back', async () => {
  // No work of the previous test is left.
  await Promise.all((await allOf(stack, TRIGGERS)).map(untilServing));
  const registered = await newRegistrations();
  const id = await createTrigger(watching('Deleted'));
  // A registration whose request was not answered is removed.
  await expect.poll(registered, ARRIVAL).toBe(1);
  await setVendor('down');
  onTestFinished(() => setVendor('up'));
  await remove(`/v1/triggers/${id}`);
  const [victim] = await allOf(stack, TRIGGERS);
  if (victim === undefined) throw new Error('There is no replica.');
  kill(victim);
  expect(await registered()).toBe(1);
  await setVendor('up');
  await expect.poll(registered, ARRIVAL).toBe(0);
});

it.runIf(isEverything)(
  'a poll is disabled while it waits for its vendor: nothing fires of what that has listed, now or once it is enabled',
  LONG,
  async () => {
    const ours = randomUUID();
    const contact = z.object({ name: z.string() });
    const numberOf = (payload: unknown): number => Number(contact.parse(payload).name.split(' ')[1]);
    const sink = await startEventSink({ numberOf });
    const mongo = await MongoClient.connect(stack.mongodbUri);
    onTestFinished(async () => {
      await setVendor('delay', { delayMs: 0 });
      sink.close();
      await mongo.close();
    });
    const destinationId = await createDestination(`${sink.url}/200/disabled`);
    const id = await createTrigger({
      name: 'Disabled',
      triggerTypeSlug: 'sandbox-crm-contact-created',
      connectionId,
      configuration: { everySeconds: 10 },
      filter: `$contains(name, "${ours}")`,
      destinationIds: [destinationId],
    });
    await addContact(`${ours} 0`);
    await setVendor('delay', { delayMs: 5_000 });
    const isRunning = async (): Promise<boolean> => {
      const stored = mongo.db('fairlead_triggers').collection<{ _id: string }>('triggers');
      return (await stored.findOne({ _id: id, 'due.claim.token': { $gt: '' } })) !== null;
    };
    await expect.poll(isRunning, { ...ARRIVAL, interval: 50 }).toBe(true);
    expect((await patch(`/v1/triggers/${id}`, { isEnabled: false })).status).toBe(200);
    const isListed = async (): Promise<boolean> =>
      (await answeredByVendor()).some(
        ({ path, status, durationMs }) =>
          path.startsWith('/api/contacts?') && status === 200 && durationMs >= 5_000,
      );
    await expect.poll(isListed, ARRIVAL).toBe(true);
    await setVendor('delay', { delayMs: 0 });
    expect((await patch(`/v1/triggers/${id}`, { isEnabled: true })).status).toBe(200);
    await addContact(`${ours} 1`);
    const arrived = () => sink.entries().map(({ number }) => number);
    await expect.poll(arrived, ARRIVAL).toContain(1);
    expect(arrived()).toEqual([1]);
    await remove(`/v1/triggers/${id}`);
  },
);
