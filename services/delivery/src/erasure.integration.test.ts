import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { MAX_READ_AGE_MS } from './sending/read-age.ts';
import { deliveryCollection } from './storage/delivery.collection.ts';
import { openTestLedger } from './testing/ledger.ts';
import { startSink } from './testing/sink.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
const AT_ONCE = 8;
const QUICK = 3;
const WAITING = 8;

test('of an account that was erased no attempt begins, whether it waits in memory, for its time or in another process', async () => {
  const ledger = await openTestLedger(inject('mongodbUri'));
  const held = Promise.withResolvers<number>();
  let quick = QUICK;
  const answerSlowly = () => ((quick -= 1) >= 0 ? 200 : held.promise);
  const receiver = await startSink(({ path }) => (path === '/held' ? answerSlowly() : 503));
  const { log, lines } = captureLog();
  const time = { nowMs: 0 };
  // Number of waiting attempts at a receiver that answers soon; set here, so that it does not depend on the machine's speed.
  const send: typeof ledger.send = async (request) => {
    const outcome = await ledger.send(request);
    return outcome && { ...outcome, durationMs: 1 };
  };
  const [worker, other] = [ledger.worker({ log, send, nowMs: () => time.nowMs }), ledger.worker()];
  onTestFinished(async () => {
    held.resolve(200);
    await Promise.all([worker.close(), other.close()]);
    await receiver.close();
    await ledger.close();
  });
  const at = (path: string): string => new URL(path, receiver.url).href;
  const requests = (path: string): number => receiver.received.filter((each) => each.path === path).length;
  const { accountId, id: failing } = await ledger.destination({ url: at('/failing') });
  const { id: slow } = await ledger.destination({ accountId, url: at('/held') });
  await worker.record(ledger.events(1, accountId, [failing]));
  await vi.waitUntil(async () => {
    const failed = await ledger.store.collection(deliveryCollection).findOne({ destinationId: failing });
    return failed?.attempts.length === 1;
  }, PATIENCE);
  await worker.record(ledger.events(AT_ONCE, accountId, [slow]));
  await vi.waitUntil(async () => (await ledger.states(slow))['delivered'] === QUICK, PATIENCE);
  // The slow destination has answered once, so attempts may wait for it.
  await worker.record(ledger.events(QUICK + WAITING, accountId, [slow]));
  await vi.waitUntil(() => requests('/held') === QUICK + AT_ONCE, PATIENCE);
  expect(await ledger.states(slow)).toEqual({ delivered: QUICK, pending: AT_ONCE + WAITING });

  await ledger.erase(accountId);
  // Cached reads of a destination are used this long.
  time.nowMs += MAX_READ_AGE_MS + 1;
  held.resolve(200);
  const dropped = (): number => lines().filter(({ msg = '' }) => msg.includes('whose claim was lost')).length;
  await vi.waitUntil(() => dropped() === AT_ONCE + WAITING, PATIENCE);
  // The retry would be due, and a check finds other accounts' due attempts.
  ledger.clock.advance(60_000);
  const neighbour = await ledger.destination({ url: at('/neighbour') });
  await ledger.storeUnclaimed(ledger.events(1, neighbour.accountId, [neighbour.id]));
  worker.wake();
  other.wake();
  await vi.waitUntil(() => requests('/neighbour') === 1, PATIENCE);
  expect([requests('/held'), requests('/failing')]).toEqual([QUICK + AT_ONCE, 1]);
  expect(await ledger.store.collection(deliveryCollection).countDocuments({ accountId })).toBe(0);
});
