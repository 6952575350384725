import { systemTimers } from '@fairlead/service-kit/timers';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { MAX_LOST_CLAIMS } from '../domain/transition.ts';
import { openTestLedger } from '../testing/ledger.ts';
import type { TestLedger } from '../testing/ledger.ts';
import { startSink } from '../testing/sink.ts';
import { ATTEMPT_LIMITS } from './attempt-queues.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
const { perDestination } = ATTEMPT_LIMITS;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

/** A worker that checks for due attempts at start and when woken only. */
function wokenWorker(o: Parameters<TestLedger['worker']>[0] = {}) {
  const LOOK_EVERY_MS = 1_000;
  const timers: typeof systemTimers = {
    ...systemTimers,
    after: (ms, run) => (ms === LOOK_EVERY_MS ? { cancel: () => undefined } : systemTimers.after(ms, run)),
  };
  const worker = ledger.worker({ timers, limits: { ...ATTEMPT_LIMITS, aheadPerPermit: 1 }, ...o });
  onTestFinished(() => worker.close());
  return worker;
}

test('an attempt has failed when its workers were lost over three requests after it was taken over, not before they began', async () => {
  const { accountId, id } = await ledger.destination();
  await ledger.storeUnclaimed(ledger.events(1, accountId, [id]));
  const claim = async () => {
    const now = ledger.clock.now();
    const o = { now, until: new Date(now.getTime() + 30_000), by: 'lost', limit: 1 };
    const [claimed] = await ledger.deliveries.claim({ destinationId: id, queue: 0 }, o);
    ledger.clock.advance(30_000);
    if (claimed === undefined) throw new Error('nothing was claimed');
    return claimed;
  };
  const { open: first } = await claim();
  expect(first).toMatchObject({ lostClaims: 0, claim: { isTakenOver: false } });
  for (let times = 0; times < 4; times += 1) await claim();
  for (let lost = 0; lost < MAX_LOST_CLAIMS; lost += 1) {
    const claimed = await claim();
    expect(claimed.open).toMatchObject({ lostClaims: lost, claim: { isTakenOver: true } });
    expect(await ledger.deliveries.noteBegin(claimed)).toBe(true);
  }
  const { eventId } = await claim();
  const worker = ledger.worker();
  onTestFinished(() => worker.close());
  const attempts = async () => (await ledger.delivery(eventId, id)).attempts;
  await vi.waitUntil(async () => (await attempts()).length === 1, PATIENCE);
  expect(await attempts()).toMatchObject([{ state: 'failed', statusCode: null, error: 'worker_lost' }]);
});

test('what waits for a disabled destination is not due, until it is enabled or deleted', async () => {
  const { accountId, id } = await ledger.destination();
  await ledger.storeUnclaimed(ledger.events(1, accountId, [id]));
  const now = ledger.clock.now();
  const isDue = async () =>
    (await ledger.deliveries.dueQueues(now)).some(({ destinationId }) => destinationId === id);
  const set = (isEnabled: boolean) =>
    ledger.destinations.update(ledger.ctx, accountId, id, { isEnabled }, now);
  const seen = [await isDue()];
  await set(false);
  seen.push(await isDue());
  await set(true);
  seen.push(await isDue());
  await set(false);
  await ledger.destinations.delete(ledger.ctx, accountId, id, now);
  seen.push(await isDue());
  expect(seen).toEqual([true, false, true, true]);
  await ledger.keepUp(id);
});

test('what comes while a destination has no free permit is claimed as permits become free, without another look', async () => {
  const open = Promise.withResolvers<number>();
  const receiver = await startSink(() => open.promise);
  onTestFinished(() => receiver.close());
  const { accountId, id } = await ledger.destination({ url: receiver.url });
  const worker = wokenWorker();
  await worker.record(ledger.events(perDestination, accountId, [id]));
  await vi.waitUntil(() => receiver.received.length === perDestination, PATIENCE);
  for (let times = 0; times < 3; times += 1) {
    await worker.record(ledger.events(4 * perDestination, accountId, [id]));
    // The worker made the same query before, when it was woken.
    expect(await ledger.deliveries.dueQueues(ledger.clock.now())).toHaveLength(1);
  }
  open.resolve(200);
  await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 13 * perDestination, PATIENCE);
  expect(receiver.received).toHaveLength(13 * perDestination);
});

test('bodies that are large are read when their attempts are made, not while these wait', async () => {
  const receiver = await startSink(() => 200);
  onTestFinished(() => receiver.close());
  const { accountId, id } = await ledger.destination({ url: receiver.url });
  const [small, large] = [16 * 1024, 16 * 1024 + 1].map((bytes) => ({
    ...ledger.event(accountId, [id]),
    body: Buffer.alloc(bytes, 'x'),
  }));
  if (small === undefined || large === undefined) throw new Error('two events were made');
  await ledger.storeUnclaimed([small, large]);
  const read = await ledger.deliveries.findContents([small.id, large.id, 'te_none'], small.body.length);
  expect([...read.keys()].toSorted()).toEqual([small.id, large.id].toSorted());
  expect(read.get(small.id)?.body).toEqual(small.body);
  expect(read.get(large.id)?.body).toBeNull();
  const worker = ledger.worker();
  onTestFinished(() => worker.close());
  await vi.waitUntil(async () => (await ledger.states(id))['delivered'] === 2, PATIENCE);
  const sizes = receiver.received.map(({ body }) => body.length);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([small.body.length, large.body.length]);
});

test('forty destinations of an account hang: others get their events meanwhile', async () => {
  const open = Promise.withResolvers<number>();
  const hanging = await startSink(() => open.promise);
  const healthy = await startSink(() => 200);
  const worker = ledger.worker();
  onTestFinished(async () => {
    open.resolve(200);
    await worker.close();
    await Promise.all([hanging.close(), healthy.close()]);
  });
  const { accountId, id } = await ledger.destination({ url: hanging.url });
  const ids = [id];
  while (ids.length < 40) ids.push((await ledger.destination({ url: hanging.url, accountId })).id);
  for (const each of ids) await worker.record(ledger.events(3 * perDestination, accountId, [each]));
  await vi.waitUntil(() => hanging.received.length === ATTEMPT_LIMITS.total / 2, PATIENCE);
  for (let other = 0; other < 3; other += 1) {
    const own = await ledger.destination({ url: healthy.url });
    await worker.record(ledger.events(10 * perDestination, own.accountId, [own.id]));
    const delivered = async () => (await ledger.states(own.id))['delivered'];
    await vi.waitUntil(async () => (await delivered()) === 10 * perDestination, PATIENCE);
  }
  expect(hanging.received).toHaveLength(ATTEMPT_LIMITS.total / 2);
});

test('a look reads no destination of an account that has its share, however many of them have attempts that are due', async () => {
  const open = Promise.withResolvers<number>();
  const hanging = await startSink(() => open.promise);
  const dueQueues = vi.fn((now: Date) => ledger.deliveries.dueQueues(now));
  const read = vi.fn((destinationId: string) => ledger.targets.read(destinationId));
  const worker = wokenWorker({ deliveries: { ...ledger.deliveries, dueQueues }, targets: { read } });
  onTestFinished(async () => {
    open.resolve(200);
    await worker.close();
    await hanging.close();
  });
  const { accountId, id } = await ledger.destination({ url: hanging.url });
  const ids = [id];
  while (ids.length < 40) ids.push((await ledger.destination({ url: hanging.url, accountId })).id);
  for (const each of ids) await worker.record(ledger.events(perDestination, accountId, [each]));
  await vi.waitUntil(() => hanging.received.length === ATTEMPT_LIMITS.total / 2, PATIENCE);
  /** Waits until the worker has begun two more checks, the second of them after this call. */
  const look = async (): Promise<void> => {
    for (const looks of [1, 2].map((more) => dueQueues.mock.calls.length + more)) {
      worker.wake();
      await vi.waitUntil(() => dueQueues.mock.calls.length >= looks, PATIENCE);
    }
  };
  await look();
  read.mockClear();
  await look();
  const due = await ledger.deliveries.dueQueues(ledger.clock.now());
  expect(due.filter(({ destinationId }) => ids.includes(destinationId)).length).toBeGreaterThan(20);
  expect(read.mock.calls.filter(([wanted]) => ids.includes(wanted))).toEqual([]);
});

test('claims that have become too old while a destination hung are given back together', async () => {
  let answer: Promise<number> = Promise.resolve(200);
  const receiver = await startSink(() => answer);
  onTestFinished(() => receiver.close());
  const release = vi.fn((claimed: Parameters<typeof ledger.deliveries.release>[0]) =>
    ledger.deliveries.release(claimed),
  );
  // Fixed, because the duration of a request determines how many attempts wait for the next.
  const send: typeof ledger.send = async (request) => {
    const outcome = await ledger.send(request);
    return outcome && { ...outcome, durationMs: 1 };
  };
  const worker = ledger.worker({ deliveries: { ...ledger.deliveries, release }, send });
  onTestFinished(() => worker.close());
  const { accountId, id } = await ledger.destination({ url: receiver.url });
  const delivered = async () => (await ledger.states(id))['delivered'];
  await worker.record(ledger.events(perDestination, accountId, [id]));
  await vi.waitUntil(async () => (await delivered()) === perDestination, PATIENCE);
  const open = Promise.withResolvers<number>();
  answer = open.promise;
  await worker.record(ledger.events(3 * perDestination, accountId, [id]));
  await vi.waitUntil(() => receiver.received.length === 2 * perDestination, PATIENCE);
  release.mockClear();
  ledger.clock.advance(10_001);
  answer = Promise.resolve(200);
  open.resolve(200);
  await vi.waitUntil(async () => (await delivered()) === 4 * perDestination, PATIENCE);
  const given = release.mock.calls.flatMap(([claimed]) => claimed);
  expect(given.length).toBeGreaterThan(perDestination);
  expect(release.mock.calls.filter(([claimed]) => claimed.length > 0).length).toBeLessThan(given.length);
});
