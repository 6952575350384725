import { randomBytes } from 'node:crypto';
import { streamManager } from '@fairlead/service-kit/testing/nats';
import { BSON, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startEventSink } from './support/event-sink.ts';
import type { EventSink } from './support/event-sink.ts';
import { createDestination, createFirings } from './support/firings.ts';
import { allOf, freezeDuring, kill, processOf, untilReplaced } from './support/processes.ts';
import { isEverything } from './support/selection.ts';
import { prepareConnection } from './support/traffic.ts';

const stack = inject('stack');

const GATEWAY = 'services/gateway/src/main.ts';
const SOON = { timeout: 120_000, interval: 200 };
/** After this time, a dead process's attempt is taken over. */
const DUE_AFTER_MS = 60_000;

let mongo: MongoClient;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(() => mongo.close());

/** The members of responses that these tests read. */
const body = z.looseObject({
  accountId: z.string().default(''),
  apiKey: z.string().default(''),
  erasingAt: z.string().nullable().default(null),
});

interface JsonAnswer {
  readonly status: number;
  readonly body: z.infer<typeof body>;
}

/** Sends a request; status 0 if no response arrived. */
async function send(method: string, path: string, apiKey: string, json?: unknown): Promise<JsonAnswer> {
  try {
    const answer = await fetch(new URL(path, stack.baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: body.parse(text === '' ? {} : JSON.parse(text)) };
  } catch {
    return { status: 0, body: body.parse({}) };
  }
}

const erasures = () =>
  mongo
    .db('fairlead_gateway')
    .collection<{ _id: string; state: string; requestedAt: Date; nextAt: Date }>('account_erasures');

type Place = readonly [database: string, collection: string, filter: Readonly<Record<string, string>>];

/** Collections that still have data of an account. */
async function leftIn(places: readonly Place[]): Promise<string[]> {
  const found: string[] = [];
  for (const [database, collection, filter] of places) {
    const count = await mongo.db(database).collection(collection).countDocuments(filter);
    if (count > 0) found.push(`${database}.${collection}`);
  }
  return found;
}

/** Collections of the gateway and of services behind it that still name the account. */
function left(accountId: string): Promise<string[]> {
  return leftIn([
    ['fairlead_connections', 'connections', { accountId }],
    ['fairlead_connections', 'dataKeys', { _id: accountId }],
    ['fairlead_gateway', 'audit_entries', { accountId }],
    ['fairlead_identity', 'users', { accountId }],
    ['fairlead_mcp', 'mcp_servers', { accountId }],
    ['fairlead_mcp', 'default_servers', { _id: accountId }],
    ['fairlead_mcp', 'served_definitions', { accountId }],
    ['fairlead_mcp', 'dataKeys', { _id: accountId }],
    ['fairlead_identity', 'api_keys', { accountId }],
    ['fairlead_identity', 'accounts', { _id: accountId }],
  ]);
}

/** A new account. */
async function createAccount(): Promise<{ path: string; accountId: string; apiKey: string }> {
  const made = await send('POST', '/operator/v1/accounts', stack.operatorKey, {
    name: 'Half-way',
    ownerEmail: `owner-${randomBytes(6).toString('hex')}@test.example`,
  });
  expect(made.status).toBe(201);
  const { accountId, apiKey } = made.body;
  return { path: `/operator/v1/accounts/${accountId}`, accountId, apiKey };
}

/** An account whose erasure was in progress when the gateways were killed, because connections did not respond. */
async function killedHalfWay(): Promise<{ path: string; accountId: string; apiKey: string }> {
  const { path, accountId, apiKey } = await createAccount();
  await prepareConnection({ ...stack, account: { ...stack.account, accountId, apiKey } });
  expect((await send('GET', '/v1/mcpservers', apiKey)).status).toBe(200);
  const victims = await allOf(stack, GATEWAY);
  const erasing = await freezeDuring(processOf(stack, 'services/connections/src/main.ts'), async () => {
    const deleted = send('DELETE', path, stack.operatorKey);
    await expect
      .poll(async () => (await send('GET', path, stack.operatorKey)).body.erasingAt, SOON)
      .not.toBeNull();
    for (const victim of victims) kill(victim);
    return await deleted;
  });
  expect(erasing.status).toBe(0);
  for (const victim of victims) await untilReplaced(stack, GATEWAY, victim);
  expect((await erasures().findOne({ _id: accountId }))?.state).toBe('erasing');
  expect(await left(accountId)).toContain('fairlead_identity.accounts');
  await expect.poll(async () => (await send('GET', '/v1/auth/whoami', apiKey)).status, SOON).toBe(401);
  return { path, accountId, apiKey };
}

describe('an erasure whose gateway is killed with -9 half-way', () => {
  it('leaves the account closed, and is completed by asking again', async () => {
    const { path, accountId } = await killedHalfWay();
    await expect.poll(async () => (await send('DELETE', path, stack.operatorKey)).status, SOON).toBe(204);
    expect(await left(accountId)).toEqual([]);
  });

  it('is completed by the gateway that comes after it, unasked', async () => {
    const { path, accountId } = await killedHalfWay();
    const stored = await erasures().findOne({ _id: accountId });
    if (stored === null) throw new Error('The erasure is not stored.');
    expect(stored.nextAt.getTime()).toBe(stored.requestedAt.getTime() + DUE_AFTER_MS);
    // Makes the erasure due now.
    await erasures().updateOne({ _id: accountId }, { $set: { nextAt: new Date() } });
    await expect.poll(async () => (await erasures().findOne({ _id: accountId }))?.state, SOON).toBe('erased');
    expect(await left(accountId)).toEqual([]);
    expect((await send('GET', path, stack.operatorKey)).status).toBe(404);
  });
});

/** Buckets whose change messages, which contain account ids, expire by themselves. */
const HOUR_NS = 3_600_000_000_000;

/** Places that name an account: in triggers, in delivery, and in every NATS stream or bucket that keeps messages for more than an hour. */
async function leftOfEvents(
  { streams }: Awaited<ReturnType<typeof streamManager>>,
  accountId: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of ['fairlead_triggers', 'fairlead_delivery']) {
    const db = mongo.db(name);
    for (const collection of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const documents = await db.collection(collection.name).find().toArray();
      if (documents.some((document) => BSON.EJSON.stringify(document).includes(accountId)))
        found.push(`${name}.${collection.name}`);
    }
  }
  for await (const { config, state } of streams.list()) {
    if (config.max_age > 0 && config.max_age <= HOUR_NS) continue;
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      // Null if it was removed meanwhile.
      const message = await streams.getMessage(config.name, { seq }).catch(() => null);
      const text = `${message?.subject} ${Buffer.from(message?.data ?? []).toString('latin1')}`;
      if (text.includes(accountId)) found.push(config.name);
    }
  }
  return [...new Set(found)];
}

/** The number of a call, or the time of a schedule's firing. */
const sent = z.union([
  z.object({ body: z.object({ number: z.int() }) }).transform(({ body: { number } }) => number),
  z.object({ scheduledAt: z.iso.datetime() }).transform(({ scheduledAt }) => Date.parse(scheduledAt)),
]);

/** An account with a schedule that fires each second at a path of the receiver, and a trigger with an inbound address. */
async function firingAccount(sink: EventSink, path: string) {
  const account = await createAccount();
  const { apiKey } = account;
  const destinationIds = [await createDestination(sink.url + path, {}, apiKey)];
  const schedule = { triggerTypeSlug: 'schedule', configuration: { cron: '* * * * * *' } };
  const made = await send('POST', '/v1/triggers', apiKey, { name: 'Ticks', destinationIds, ...schedule });
  expect(made.status).toBe(201);
  const arrived = (): number => sink.entries().filter((entry) => entry.path === path).length;
  return { ...account, arrived, firings: await createFirings(destinationIds, apiKey) };
}

describe('an account that is erased while its triggers fire', () => {
  let erased: string;

  it('takes no calls, runs nothing and sends nothing any more', { timeout: 600_000 }, async () => {
    const sink = await startEventSink({ numberOf: (payload) => sent.parse(payload) });
    onTestFinished(() => sink.close());
    const [one, other] = [
      await firingAccount(sink, '/200/erased'),
      await firingAccount(sink, '/200/neighbour'),
    ];
    const { accountId, firings } = one;
    erased = accountId;
    let isOver = false;
    const firing = firings.fireUntil(() => isOver);
    await expect.poll(() => firings.acknowledged.size, SOON).toBeGreaterThan(40);
    const askedAtMs = Date.now();
    await expect.poll(async () => (await send('DELETE', one.path, stack.operatorKey)).status, SOON).toBe(204);
    const erasedAtMs = Date.now();
    const acknowledgedOfTen = async (): Promise<number> => {
      const before = firings.acknowledged.size;
      for (let count = 0; count < 10; count += 1) await firings.fire();
      return firings.acknowledged.size - before;
    };
    await expect.poll(acknowledgedOfTen, SOON).toBe(0);
    isOver = true;
    await firing;
    /** Until the other account's equal schedule has fired again. */
    const ticks = async (count: number): Promise<void> => {
      const before = other.arrived();
      await expect.poll(() => other.arrived() - before, { timeout: 120_000 }).toBeGreaterThanOrEqual(count);
    };
    const acknowledged = firings.acknowledged.size;
    const arrivesDuring = async (count: number): Promise<number> => {
      const before = one.arrived();
      await ticks(count);
      return one.arrived() - before;
    };
    // Started work ends, and no other work starts.
    await expect.poll(() => arrivesDuring(5), SOON).toBe(0);
    const arrived = one.arrived();
    await ticks(5);
    const requests = sink.entries().filter(({ path }) => path === '/200/erased');
    const after = (atMs = 0): string => `${atMs - askedAtMs} ms`;
    console.log(
      `${acknowledged} calls were acknowledged, ${arrived} requests sent. After the erasure was asked for: answered ${after(erasedAtMs)}, ` +
        `last acknowledgement ${after(firings.lastAcknowledgedAtMs())}, last request ${after(requests.at(-1)?.receivedAtMs)}`,
    );
    expect(one.arrived()).toBe(arrived);
    // Events captured before may still reach the ledger, without their destination.
    expect(await leftIn([['fairlead_delivery', 'destinations', { accountId }]])).toEqual([]);
    expect(await leftIn([['fairlead_triggers', 'triggers', { accountId }]])).toEqual([]);
    await expect
      .poll(async () => (await send('DELETE', other.path, stack.operatorKey)).status, SOON)
      .toBe(204);
  });

  // The account is erased again after every call that was admitted before has ended.
  it.runIf(isEverything)('leaves nothing behind', { timeout: 600_000 }, async () => {
    const manager = await streamManager(stack.natsUrl);
    await expect.poll(() => leftOfEvents(manager, erased), { timeout: 500_000, interval: 1_000 }).toEqual([]);
  });
});
