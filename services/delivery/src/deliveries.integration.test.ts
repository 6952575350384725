import { verifyWebhook } from '@fairlead/sdk';
import type { Secret } from '@fairlead/service-kit/secret';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { keptSince, RESUME_WINDOW_MS } from './domain/event.ts';
import { outcomeOfStatus } from './domain/outcome.ts';
import { deliveryCollection, DUE_INDEX } from './storage/delivery.collection.ts';
import { eventCollection } from './storage/event.collection.ts';
import { openTestLedger } from './testing/ledger.ts';
import type { TestLedger } from './testing/ledger.ts';
import { startSink } from './testing/sink.ts';
import type { ReceivedRequest } from './testing/sink.ts';
import { ATTEMPT_LIMITS } from './workers/attempt-queues.ts';

const MINUTE_MS = 60_000;
const PATIENCE = { timeout: 90_000, interval: 20 };

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

async function sink(answer: (request: ReceivedRequest) => number | Promise<number>) {
  const started = await startSink(answer);
  onTestFinished(() => started.close());
  return started;
}

function worker(o: Parameters<TestLedger['worker']>[0] = {}) {
  const started = ledger.worker(o);
  onTestFinished(() => started.close());
  return started;
}

const attemptsOf = async (eventId: string, destinationId: string) =>
  (await ledger.delivery(eventId, destinationId)).attempts.map(({ state, statusCode, error }) => [
    state,
    statusCode,
    error,
  ]);

describe('a delivery', () => {
  test('has the bytes that were captured, signed with the secret, and headers that say what it is', async () => {
    const receiver = await sink(() => 204);
    const { accountId, id, secret } = await ledger.destination({ url: receiver.url });
    const event = ledger.event(accountId, [id]);
    await worker().record([event]);
    await vi.waitUntil(() => receiver.received.length > 0, PATIENCE);
    const [{ headers, body }] = receiver.received as [ReceivedRequest];
    expect(body.equals(Buffer.from(event.body))).toBe(true);
    expect(headers).toMatchObject({
      'fairlead-attempt': '1',
      'fairlead-trigger-id': 'trg_1',
      'webhook-id': event.id,
      'content-type': 'application/json',
      'user-agent': 'Fairlead-Events/1',
      'x-team': 'header-value-of-the-team',
    });
    const tolerance = { toleranceSeconds: 300 };
    expect(
      verifyWebhook(body, headers['fairlead-signature'] as string, secret.reveal(), tolerance),
    ).toBeTruthy();
  });

  test('is retried six times in all, never early, with the same id and bytes, then dead-lettered', async () => {
    const receiver = await sink(() => 503);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const process = worker();
    const event = ledger.event(accountId, [id]);
    await process.record([event]);
    const settled = (count: number) =>
      vi.waitUntil(async () => (await ledger.delivery(event.id, id)).attempts.length === count, PATIENCE);
    for (const [index, minutes] of [1, 5, 15, 60, 360].entries()) {
      await settled(index + 1);
      expect((await ledger.delivery(event.id, id)).open?.dueAt).toEqual(
        new Date(ledger.clock.now().getTime() + minutes * MINUTE_MS),
      );
      ledger.clock.advance(minutes * MINUTE_MS - 1);
      expect(await ledger.deliveries.dueQueues(ledger.clock.now())).toEqual([]);
      ledger.clock.advance(1);
      process.wake();
    }
    await settled(6);
    const { state, open, attempts } = await ledger.delivery(event.id, id);
    expect([state, open]).toEqual(['deadLettered', undefined]);
    expect(attempts.map((each) => `${String(each.attempt)} ${each.state}`).join()).toBe(
      '1 failed,2 failed,3 failed,4 failed,5 failed,6 deadLettered',
    );
    expect(receiver.received.map(({ headers }) => headers['fairlead-attempt']).join('')).toBe('123456');
    expect(
      new Set(
        receiver.received.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body.toString()}`),
      ).size,
    ).toBe(1);
  });

  test('whose secret was rotated after an attempt is signed with the new one from then on', async () => {
    const receiver = await sink(({ headers }) => (headers['fairlead-attempt'] === '1' ? 503 : 200));
    const { accountId, id, secret } = await ledger.destination({ url: receiver.url });
    const event = ledger.event(accountId, [id]);
    const first = ledger.worker();
    await first.record([event]);
    await vi.waitUntil(async () => (await ledger.delivery(event.id, id)).attempts.length === 1, PATIENCE);
    await first.close();
    const next = newSigningSecret();
    await ledger.destinations.replaceSecret(ledger.ctx, accountId, id, next, ledger.clock.now());
    ledger.clock.advance(MINUTE_MS);
    worker();
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 1, PATIENCE);
    const [one, two] = receiver.received as [ReceivedRequest, ReceivedRequest];
    const verify = ({ body, headers }: ReceivedRequest, key: Secret) =>
      verifyWebhook(body, headers['fairlead-signature'], key.reveal(), { toleranceSeconds: Infinity });
    expect(verify(two, next)).toEqual(verify(one, secret));
    expect(() => verify(two, secret)).toThrow('does not match');
  });

  test('whose capture was traced is part of its trace, with every attempt', async () => {
    const { spans, stop } = recordSpans();
    onTestFinished(stop);
    let requests = 0;
    const receiver = await sink(() => ((requests += 1) === 1 ? 503 : 204));
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const process = worker();
    const event = { ...ledger.event(accountId, [id]), traceparent };
    await process.record([event]);
    await vi.waitUntil(async () => (await ledger.delivery(event.id, id)).attempts.length === 1, PATIENCE);
    ledger.clock.advance(MINUTE_MS);
    process.wake();
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 1, PATIENCE);
    const ended = () => spans.filter(({ name }) => name === 'deliver event');
    await vi.waitUntil(() => ended().length === 2, PATIENCE);
    for (const attempt of ended()) {
      expect(attempt).toMatchObject({ traceId: traceparent.split('-')[1], parentId: 'b7ad6b7169203331' });
      expect(spans.filter(({ parentId }) => parentId === attempt.spanId).map(({ kind }) => kind)).toContain(
        'client',
      );
    }
  });

  test('is not redirected', async () => {
    const receiver = await sink(() => 302);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const event = ledger.event(accountId, [id]);
    await worker().record([event]);
    await vi.waitUntil(async () => (await ledger.states(id))['deadLettered'] === 1, PATIENCE);
    expect(await attemptsOf(event.id, id)).toEqual([['deadLettered', 302, 'redirect']]);
    expect(receiver.received).toHaveLength(1);
  });

  test('is recorded once, however often its event arrives, and an event is missing until it is', async () => {
    const receiver = await sink(() => 200);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const events = ledger.events(3, accountId, [id]);
    const ids = events.map((event) => event.id);
    expect(await ledger.deliveries.findMissing(ids)).toEqual(ids);
    const [one, other] = [worker(), worker()];
    await Promise.all([one.record(events), other.record(events), one.record(events)]);
    expect(await ledger.deliveries.findMissing([...ids, 'te_other'])).toEqual(['te_other']);
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 3, PATIENCE);
    expect(receiver.received).toHaveLength(3);
  });

  test('that was not stored with its event makes the event missing, and is stored when it arrives again', async () => {
    const { accountId, id } = await ledger.destination();
    const event = ledger.event(accountId, [id]);
    await ledger.storeUnclaimed([event]);
    await ledger.store.collection(deliveryCollection).deleteOne({ eventId: event.id });
    expect(await ledger.deliveries.findMissing([event.id])).toEqual([event.id]);
    await ledger.storeUnclaimed([event]);
    expect(await ledger.deliveries.findMissing([event.id])).toEqual([]);
  });

  test('is made by one of several workers, and a destination gets eight at once from each', async () => {
    const receiver = await sink(() => new Promise((resolve) => void setImmediate(() => resolve(200))));
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const events = ledger.events(300, accountId, [id]);
    await ledger.storeUnclaimed(events);
    const workers = [worker(), worker(), worker()];
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 300, PATIENCE);
    for (const each of workers) await each.close();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
    expect(receiver.received).toHaveLength(300);
    expect(receiver.atOnce()).toBeLessThanOrEqual(24);
  });

  test('waits for its second where the operator bounds the requests to a destination', async () => {
    const receiver = await sink(() => 200);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const paced = worker({ limits: { ...ATTEMPT_LIMITS, perSecond: 2 } });
    await paced.record(ledger.events(5, accountId, [id]));
    for (const delivered of [2, 4, 5]) {
      await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === delivered, PATIENCE);
      expect(receiver.received).toHaveLength(delivered);
      ledger.clock.advance(1_000);
    }
  });

  test('whose worker is lost is made again as the same attempt, and the late result is dropped', async () => {
    const receiver = await sink(() => 200);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const event = ledger.event(accountId, [id]);
    await ledger.storeUnclaimed([event]);
    const now = ledger.clock.now();
    const until = new Date(now.getTime() + 30_000);
    const queue = { destinationId: id, queue: 0 as const };
    const [claimed] = await ledger.deliveries.claim(queue, { now, until, by: 'lost', limit: 5 });
    expect(await ledger.deliveries.claim(queue, { now, until, by: 'other', limit: 5 })).toEqual([]);
    ledger.clock.advance(30_000);
    worker();
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 1, PATIENCE);
    expect(receiver.received.map(({ headers }) => headers['fairlead-attempt'])).toEqual(['1']);
    if (claimed === undefined) throw new Error('nothing was claimed');
    const late = {
      claimed,
      outcome: outcomeOfStatus(500, 1),
      now: ledger.clock.now(),
      destination: undefined,
    };
    expect(await ledger.deliveries.settle([late])).toEqual([{ kind: 'fenced' }]);
    expect(await attemptsOf(event.id, id)).toEqual([['delivered', 200, null]]);
  });

  test('whose result waits for the transaction of a process that died is not made again meanwhile', async () => {
    const receiver = await sink(() => 410);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const release = await ledger.holdDestination(id);
    const events = ledger.events(3, accountId, [id]);
    await worker().record(events);
    await vi.waitUntil(() => receiver.received.length === events.length, PATIENCE);
    const left = async (): Promise<number> => {
      const found = await Promise.all(events.map((event) => ledger.delivery(event.id, id)));
      const ends = found.map(({ open }) => open?.claim?.until.getTime() ?? 0);
      return Math.min(...ends) - ledger.clock.now().getTime();
    };
    for (let step = 0; step < 2; step += 1) {
      ledger.clock.advance(16_000);
      await vi.waitUntil(async () => (await left()) > 16_000, PATIENCE);
    }
    const due = await ledger.deliveries.dueQueues(ledger.clock.now());
    expect(due.filter(({ destinationId }) => destinationId === id)).toEqual([]);
    await release();
    await vi.waitUntil(async () => (await ledger.states(id))['deadLettered'] === events.length, PATIENCE);
    expect(receiver.received).toHaveLength(events.length);
  });

  test('that is given up is due as before, and not counted as lost', async () => {
    const { accountId, id } = await ledger.destination();
    await ledger.storeUnclaimed(ledger.events(1, accountId, [id]));
    const now = ledger.clock.now();
    const o = { now, until: new Date(now.getTime() + 30_000), by: 'one', limit: 1 };
    const queue = { destinationId: id, queue: 0 as const };
    await ledger.deliveries.release(await ledger.deliveries.claim(queue, o));
    expect(await ledger.deliveries.claim(queue, o)).toMatchObject([{ open: { lostClaims: 0, dueAt: now } }]);
  });

  test('of several destinations gives its event one state: pending, dead-lettered, delivered', async () => {
    const receiver = await sink(() => 200);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const event = ledger.event(accountId, [id, 'dst_gone']);
    await worker().record([event]);
    const state = async () =>
      (await ledger.store.collection(eventCollection).findOne({ _id: event.id }))?.delivery;
    await vi.waitUntil(async () => (await state()) === 'deadLettered', PATIENCE);
    expect(await attemptsOf(event.id, 'dst_gone')).toEqual([['deadLettered', null, 'destination_deleted']]);
    expect(await attemptsOf(event.id, id)).toEqual([['delivered', 200, null]]);
  });
});

describe('a destination', () => {
  test('is disabled by distinct events in a row that are dead-lettered, once, by five workers', async () => {
    let status = 404;
    const receiver = await sink(() => status);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const shown = () => ledger.destinations.find(ledger.ctx, accountId, id);
    const process = worker();
    const send = async (count: number) => {
      const events = ledger.events(count, accountId, [id]);
      await process.record(events);
      return events;
    };
    await send(4);
    await vi.waitUntil(async () => (await ledger.states(id))['deadLettered'] === 4, PATIENCE);
    expect(await shown()).toMatchObject({ disabledReason: null, consecutiveFailures: 4 });
    status = 200;
    await send(1);
    await vi.waitUntil(async () => (await shown())?.consecutiveFailures === 0, PATIENCE);
    status = 410;
    await ledger.storeUnclaimed(ledger.events(5, accountId, [id]));
    for (const each of [worker(), worker(), worker(), worker()]) each.wake();
    await vi.waitUntil(async () => (await shown())?.disabledReason !== null, PATIENCE);
    expect(await shown()).toMatchObject({ disabledReason: 'consecutiveFailures', consecutiveFailures: 5 });
    expect(ledger.disablings).toContainEqual({
      accountId,
      destinationId: id,
      failures: 5,
      occurredAt: ledger.clock.now(),
    });
  });

  test('counts an event that is dead-lettered by a retry which a replay has pulled forward, but no replay after that', async () => {
    let status = 503;
    const receiver = await sink(() => status);
    const { accountId, id } = await ledger.destination({ url: receiver.url, maxConsecutiveFailures: 3 });
    const process = worker();
    const event = ledger.event(accountId, [id]);
    await process.record([event]);
    const settled = (count: number) =>
      vi.waitUntil(async () => (await ledger.delivery(event.id, id)).attempts.length === count, PATIENCE);
    await settled(1);
    status = 404;
    for (const count of [2, 3]) {
      const at = { now: ledger.clock.now(), since: keptSince(ledger.clock.now()) };
      await ledger.replays.replay(accountId, { eventId: event.id, otherwise: [], ...at });
      process.wake();
      await settled(count);
      expect((await ledger.delivery(event.id, id)).state).toBe('deadLettered');
      const destination = await ledger.destinations.find(ledger.ctx, accountId, id);
      expect(destination?.consecutiveFailures).toBe(1);
    }
  });

  test('that is disabled delivers nothing; enabled, it delivers what was captured in the last day, and holds the rest', async () => {
    const receiver = await sink(() => 200);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const set = (isEnabled: boolean) =>
      ledger.destinations.update(ledger.ctx, accountId, id, { isEnabled }, ledger.clock.now());
    await set(false);
    const process = worker();
    const old = ledger.events(2, accountId, [id]);
    await process.record(old);
    ledger.clock.advance(1);
    const recent = ledger.events(2, accountId, [id]);
    await process.record(recent);
    ledger.clock.advance(RESUME_WINDOW_MS);
    process.wake();
    const other = await ledger.destination({ url: receiver.url });
    await process.record(ledger.events(1, other.accountId, [other.id]));
    await vi.waitUntil(() => receiver.received.length === 1, PATIENCE);
    expect(await ledger.states(id)).toEqual({ pending: 4 });
    await set(true);
    process.wake();
    await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 2, PATIENCE);
    // A worker that has claimed an old one holds it itself, which may take longer than the requests do.
    const kept = () => ledger.keepUp(id).then(() => ledger.states(id));
    await expect.poll(kept).toEqual({ held: 2, delivered: 2 });
    for (const { id: eventId } of recent) expect(await attemptsOf(eventId, id)).toHaveLength(1);
    for (const { id: eventId } of old) expect(await attemptsOf(eventId, id)).toEqual([]);
  });

  test('that is deleted ends its deliveries, also those that wait for a retry, and is gone then', async () => {
    const receiver = await sink(() => 500);
    const { accountId, id } = await ledger.destination({ url: receiver.url });
    const process = worker();
    const events = ledger.events(3, accountId, [id]);
    await process.record(events);
    await vi.waitUntil(() => receiver.received.length === 3, PATIENCE);
    await vi.waitUntil(
      async () =>
        (await Promise.all(events.map((event) => attemptsOf(event.id, id)))).every(
          (each) => each.length === 1,
        ),
      PATIENCE,
    );
    await ledger.destinations.delete(ledger.ctx, accountId, id, ledger.clock.now());
    expect(await ledger.keepUp(id)).toBeUndefined();
    expect(await ledger.states(id)).toEqual({ deadLettered: 3 });
    expect(await attemptsOf(events[0]?.id ?? '', id)).toEqual([
      ['failed', 500, 'http_500'],
      ['deadLettered', null, 'destination_deleted'],
    ]);
  });
});

test('queues with due attempts are found in steps of the index, whatever the backlog', async () => {
  const { accountId, id } = await ledger.destination();
  await ledger.storeUnclaimed(ledger.events(500, accountId, [id]));
  const explained = await ledger.store
    .collection(deliveryCollection)
    .aggregate(
      [
        { $match: { 'open.queue': 0, 'open.destinationId': { $gt: '' } } },
        { $sort: { 'open.queue': 1, 'open.destinationId': 1, 'open.at': 1 } },
        { $group: { _id: '$open.destinationId', at: { $first: '$open.at' } } },
      ],
      { hint: DUE_INDEX },
    )
    .explain();
  expect(JSON.stringify(explained)).toContain('DISTINCT_SCAN');
  expect(await ledger.deliveries.dueQueues(ledger.clock.now())).toContainEqual({
    destinationId: id,
    queue: 0,
    at: ledger.clock.now(),
  });
});
