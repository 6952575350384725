import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { deliveryCollection } from './storage/delivery.collection.ts';
import type { DeliveryDocument } from './storage/delivery.collection.ts';
import { storeEvent } from './testing/events.ts';
import { startSink } from './testing/sink.ts';
import { startDelivery } from './testing/start-delivery.ts';
import { ATTEMPT_LIMITS } from './workers/attempt-queues.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
/** Longer than any delay of a busy machine. */
const GRACE_MS = 60_000;
const AT_ONCE = ATTEMPT_LIMITS.perDestination;

test('a process that is to stop begins no attempt while a call is in flight, and finishes those under way', async () => {
  const [held, heldTest] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const sink = await startSink(({ path }) => (path === '/test' ? heldTest.promise : held.promise));
  const service = await startDelivery(inject('mongodbUri'), inject('natsUrl'), { graceMs: GRACE_MS });
  onTestFinished(async () => {
    held.resolve(200);
    heldTest.resolve(200);
    await service.close();
    await sink.close();
  });
  const requests = (path: string): number => sink.received.filter((each) => each.path === path).length;
  const deliveries = service.db.collection<DeliveryDocument>(deliveryCollection.name);
  const ctx = testContext();
  const client = service.client(DestinationService);
  const destination = async (path: string): Promise<string> => {
    const url = new URL(path, sink.url).href;
    return (await client.createDestination(ctx, { url, isEnabled: true })).destination?.id ?? '';
  };
  const [id, tested] = [await destination('/in'), await destination('/test')];
  const tests = client.sendTest(ctx, { destinationId: tested, triggerId: 'trg_1', triggerType: 'schedule' });
  await vi.waitUntil(() => requests('/test') === 1, PATIENCE);
  const { accountId } = ctx.caller as { accountId: string }; // testContext has a caller with an account.
  const capturedAt = new Date();
  const open = { at: capturedAt, dueAt: capturedAt };
  const store = { collection: ({ name }: { name: string }) => service.db.collection(name) };
  for (let stored = 0; stored <= AT_ONCE; stored += 1) {
    const event = { accountId, capturedAt, states: { [id]: 'pending' as const }, open };
    // The store's collections are those of the database with the same name.
    await storeEvent(store as Parameters<typeof storeEvent>[0], event);
  }
  await vi.waitUntil(() => requests('/in') === AT_ONCE, PATIENCE);

  const stopped = service.stop();
  held.resolve(200);
  await vi.waitUntil(
    async () => (await deliveries.countDocuments({ state: 'delivered' })) >= AT_ONCE,
    PATIENCE,
  );
  heldTest.resolve(200);
  expect(await tests).toMatchObject({ delivered: true });
  await stopped;
  expect(requests('/in')).toBe(AT_ONCE);
  expect(await deliveries.findOne({ state: 'pending' })).toMatchObject({ open: { claim: null } });
});
