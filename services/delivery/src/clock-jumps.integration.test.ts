import { afterEach, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openTestLedger } from './testing/ledger.ts';
import type { TestLedger } from './testing/ledger.ts';
import { startSink } from './testing/sink.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PATIENCE = { timeout: 90_000, interval: 20 };

let ledger: TestLedger;
// Each test has a clock of its own.
beforeEach(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterEach(() => ledger.close());

function worker() {
  const started = ledger.worker();
  onTestFinished(() => started.close());
  return started;
}

/** A destination whose receiver answers with these statuses, then always with 200. */
async function receive(...statuses: readonly (number | Promise<number>)[]) {
  const rest = [...statuses];
  const receiver = await startSink(() => rest.shift() ?? 200);
  onTestFinished(() => receiver.close());
  return { receiver, ...(await ledger.destination({ url: receiver.url })) };
}

const untilDelivered = (id: string, count: number) =>
  vi.waitUntil(async () => (await ledger.states(id))['delivered'] === count, PATIENCE);

test.each([HOUR_MS, -HOUR_MS])('a clock that moves by %d ms repeats nothing, and goes on', async (jumpMs) => {
  const { receiver, accountId, id } = await receive();
  const process = worker();
  await process.record(ledger.events(5, accountId, [id]));
  await untilDelivered(id, 5);
  ledger.clock.advance(jumpMs);
  await process.record(ledger.events(5, accountId, [id]));
  await untilDelivered(id, 10);
  ledger.clock.advance(-jumpMs);
  await process.record(ledger.events(5, accountId, [id]));
  await untilDelivered(id, 15);
  expect(receiver.received).toHaveLength(15);
});

test('a retry comes no earlier by a clock that goes back, and at once by one that goes ahead', async () => {
  const { receiver, accountId, id } = await receive(503);
  const process = worker();
  const [event] = ledger.events(1, accountId, [id]);
  if (event === undefined) throw new Error('no event');
  await process.record([event]);
  await vi.waitUntil(async () => (await ledger.delivery(event.id, id)).attempts.length === 1, PATIENCE);
  ledger.clock.advance(-HOUR_MS);
  expect(await ledger.deliveries.dueQueues(ledger.clock.now())).toEqual([]);
  ledger.clock.advance(MINUTE_MS);
  expect(await ledger.deliveries.dueQueues(ledger.clock.now())).toEqual([]);
  ledger.clock.advance(2 * HOUR_MS);
  process.wake();
  await untilDelivered(id, 1);
  expect(receiver.received.map(({ headers }) => headers['fairlead-attempt'])).toEqual(['1', '2']);
});

test('a request is under way while the clock goes back: its answer counts', async () => {
  const answer = Promise.withResolvers<number>();
  const { receiver, accountId, id } = await receive(answer.promise);
  await worker().record(ledger.events(1, accountId, [id]));
  await vi.waitUntil(() => receiver.received.length === 1, PATIENCE);
  ledger.clock.advance(-HOUR_MS);
  worker();
  answer.resolve(200);
  await untilDelivered(id, 1);
  expect(receiver.received).toHaveLength(1);
});

test('a request is under way while the clock goes ahead: the attempt is made again, as the same one', async () => {
  const answer = Promise.withResolvers<number>();
  const { receiver, accountId, id } = await receive(answer.promise);
  const [event] = ledger.events(1, accountId, [id]);
  if (event === undefined) throw new Error('no event');
  await worker().record([event]);
  await vi.waitUntil(() => receiver.received.length === 1, PATIENCE);
  ledger.clock.advance(HOUR_MS);
  worker();
  await untilDelivered(id, 1);
  answer.resolve(500);
  expect(receiver.received.map(({ headers }) => headers['fairlead-attempt'])).toEqual(['1', '1']);
  expect((await ledger.delivery(event.id, id)).attempts).toMatchObject([{ attempt: 1, state: 'delivered' }]);
});
