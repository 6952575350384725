import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { streamManager } from '@fairlead/service-kit/testing/nats';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createHttpConnection } from './support/api.ts';
import {
  copyDatabase,
  databasesOf,
  prepareRestored,
  restoreDatabase,
  streamsFolder,
} from './support/backup.ts';
import { startEventSink } from './support/event-sink.ts';
import type { EventSink } from './support/event-sink.ts';
import { createDestination, createFirings } from './support/firings.ts';
import type { Firings } from './support/firings.ts';
import { judge } from './support/judge.ts';
import { openLedger } from './support/ledger.ts';
import type { Ledger } from './support/ledger.ts';
import { logsOf } from './support/logs.ts';
import { allOf, keepKilled, untilServing } from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const SERVICES = 'services/';
const DELIVERY = 'services/delivery/src/main.ts';
const NATS = 'nats-server\0';
const PATH = '/200/restored';
const LONG = { timeout: 600_000 };
const SOON = { timeout: 120_000, interval: 200 };

let ledger: Ledger;
let mongo: MongoClient;
beforeAll(async () => {
  [ledger, mongo] = await Promise.all([openLedger(), MongoClient.connect(stack.mongodbUri)]);
});
afterAll(() => Promise.all([ledger.close(), mongo.close()]));

interface Fixture {
  readonly sink: EventSink;
  readonly destinationId: string;
  readonly firings: Firings;
}

async function prepare(): Promise<Fixture> {
  const sink = await startEventSink();
  onTestFinished(() => sink.close());
  const destinationId = await createDestination(sink.url + PATH);
  return { sink, destinationId, firings: await createFirings([destinationId]) };
}

/** Fires until this many more calls are acknowledged; returns the ids of their events. */
async function fire({ firings }: Fixture, count: number): Promise<readonly string[]> {
  const before = new Set(firings.acknowledged.keys());
  await firings.fireUntil(() => firings.acknowledged.size >= before.size + count);
  return [...firings.acknowledged.keys()].filter((id) => !before.has(id));
}

interface OutboxRow {
  readonly eventIds: readonly string[];
  readonly pendingSince?: Date;
}

const outbox = () => mongo.db('fairlead_triggers').collection<OutboxRow>('outbox');

/** Events that the outbox has confirmed. */
async function countConfirmed(ids: readonly string[]): Promise<number> {
  const rows = await outbox()
    .find({ eventIds: { $in: [...ids] }, pendingSince: { $exists: false } })
    .toArray();
  return rows.flatMap(({ eventIds }) => eventIds).filter((id) => ids.includes(id)).length;
}

async function untilConfirmed(ids: readonly string[]): Promise<void> {
  await expect.poll(() => countConfirmed(ids), SOON).toBe(ids.length);
}

/** Calls with a key; returns the event's id once the call is acknowledged. */
async function fireWithKey({ firings }: Fixture): Promise<string> {
  const created = z.object({ id: z.string() });
  return vi.waitFor(async () => {
    const answer = await fetch(firings.inboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'before-the-backup' },
      body: '{"number":-1}',
    });
    expect(answer.status).toBe(202);
    return created.parse(await answer.json()).id;
  }, SOON);
}

/** Resolves once every replica of every service serves again. */
async function untilAllServe(): Promise<void> {
  for (const name of Object.keys(stack.services)) {
    const running = await allOf(stack, `services/${name}/src/main.ts`);
    await Promise.all(running.map(untilServing));
  }
}

it(
  'MongoDB is restored to an earlier moment than NATS: no id is given twice, events in the stream arrive, and the events that the ledger lacks are named',
  LONG,
  async () => {
    const fixture = await prepare();
    const { sink, destinationId, firings } = fixture;
    const keyed = await fireWithKey(fixture);
    const before = await fire(fixture, 40);
    await untilConfirmed(before);
    const ids = [await createHttpConnection(sink.url)];

    // The ledger's copy is older than the outbox's, as in a copy of a running server.
    const names = await databasesOf(mongo);
    const ofLedger = await copyDatabase(mongo, 'fairlead_delivery');
    const between = await fire(fixture, 40);
    await untilConfirmed(between);
    const others = names.filter((name) => name !== 'fairlead_delivery');
    const backups = new Map(
      await Promise.all(others.map(async (name) => [name, await copyDatabase(mongo, name)] as const)),
    );
    backups.set('fairlead_delivery', ofLedger);

    for (let count = 0; count < 5; count += 1) ids.push(await createHttpConnection(sink.url));
    await untilConfirmed(await fire(fixture, 20));
    const noDelivery = keepKilled(stack, DELIVERY);
    const inStream = await fire(fixture, 20);
    const nothing = keepKilled(stack, SERVICES);
    await noDelivery.stop();
    for (const name of names) await restoreDatabase(mongo, name, backups.get(name) ?? new Map());
    expect(await prepareRestored()).toContain('the sequence connections goes on after');
    await nothing.stop();
    await untilAllServe();

    const given = new Set(firings.acknowledged.keys());
    const after = await fire(fixture, 20);
    expect(after.filter((id) => given.has(id))).toEqual([]);
    const next = await vi.waitFor(() => createHttpConnection(sink.url), SOON);
    expect(next).toBeGreaterThan(Math.max(...ids));
    expect(await fireWithKey(fixture)).toBe(keyed);

    const stored = () => ledger.eventsOf(firings.triggerId);
    await expect
      .poll(async () => {
        const has = await stored();
        return [...before, ...inStream, ...after].filter((id) => !has.has(id));
      }, SOON)
      .toEqual([]);
    // The outbox has these, the ledger has not: each is named in the log.
    const has = await stored();
    const missing = between.filter((id) => !has.has(id));
    expect(missing.length).toBeGreaterThan(0);
    await expect
      .poll(
        () =>
          namedAsLost()
            .filter((id) => missing.includes(id))
            .toSorted(),
        SOON,
      )
      .toEqual(missing.toSorted());
    await expect.poll(() => outbox().countDocuments({ pendingSince: { $exists: true } }), SOON).toBe(0);

    await expect.poll(() => ledger.openTo(destinationId), SOON).toBe(0);
    const entries = sink.entries().filter(({ number }) => number >= 0);
    for (const [id, some] of Map.groupBy(entries, ({ eventId }) => eventId)) {
      expect(new Set(some.map(({ bodyHash }) => bodyHash)).size, id).toBe(1);
      expect(some[0]?.number, id).toBe(firings.acknowledged.get(id) ?? some[0]?.number);
    }
    const arrived = new Set(entries.map(({ eventId }) => eventId));
    expect([...before, ...inStream, ...after].filter((id) => !arrived.has(id))).toEqual([]);
  },
);

/** Ids of events that the triggers service has logged as lost. */
function namedAsLost(): readonly string[] {
  const line = z.object({ eventIds: z.array(z.string()) });
  return logsOf('triggers')
    .split('\n')
    .filter((text) => text.includes('captured events are lost'))
    .flatMap((text) => line.parse(JSON.parse(text)).eventIds);
}

it.runIf(isEverything)(
  'NATS is restored to an earlier moment than MongoDB: nothing is lost, and no delivered event is sent again',
  LONG,
  async () => {
    const fixture = await prepare();
    const { sink, destinationId, firings } = fixture;
    await untilConfirmed(await fire(fixture, 20));
    const inFlight: string[] = [];
    const noteInFlight = async (): Promise<void> =>
      void inFlight.push(...(await ledger.claimed(destinationId)));

    // The copy contains messages that the ledger takes afterwards.
    const noDelivery = keepKilled(stack, DELIVERY);
    await noteInFlight();
    const held = await fire(fixture, 20);
    const folder = streamsFolder();
    const copy = mkdtempSync(join(tmpdir(), 'fairlead-test-streams-'));
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    const noNats = keepKilled(stack, NATS);
    await delay(200);
    cpSync(folder, copy, { recursive: true });
    await noNats.stop();
    await noDelivery.stop();
    await untilConfirmed([...held, ...(await fire(fixture, 60))]);

    const noNatsAgain = keepKilled(stack, NATS);
    await delay(200);
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    await noNatsAgain.stop();
    await untilConfirmed(await fire(fixture, 40));
    const { streams } = await streamManager(stack.natsUrl);
    await expect.poll(async () => (await streams.info('TRIGGER_EVENTS')).state.messages, SOON).toBe(0);

    const fate = await judge(ledger, { sink, path: PATH, destinationId, firings, inFlight });
    expect(fate).toMatchObject({ lost: 0, unexplained: [] });
  },
);
