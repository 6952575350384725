import { ManualClock } from '@fairlead/service-kit/clock';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { guid, prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { systemTimers } from '@fairlead/service-kit/timers';
import { newSigningSecret } from '@fairlead/webhook-signature/signing-secret';
import { deliveryId } from '../domain/delivery.ts';
import type { Disabling } from '../domain/destination.ts';
import type { CapturedEvent } from '../domain/event.ts';
import { createAccountData } from '../storage/account-data.ts';
import { createCachedTargets } from '../sending/cached-targets.ts';
import { createRequestSender } from '../sending/request-sender.ts';
import { createDeliveryRepository } from '../storage/delivery.repository.ts';
import { deliveryCollection } from '../storage/delivery.collection.ts';
import type { DeliveryDocument } from '../storage/delivery.collection.ts';
import { destinationCollection } from '../storage/destination.collection.ts';
import { createDestinationRepository } from '../storage/destination.repository.ts';
import { createReplayRepository } from '../storage/replay.repository.ts';
import { schema } from '../storage/schema.ts';
import { createEventCounts } from '../storage/event-counts.ts';
import { createTargetReads } from '../storage/target-reads.ts';
import { createUpkeep } from '../storage/upkeep.ts';
import { recordEvents } from '../use-cases/record-events.ts';
import { ATTEMPT_LIMITS } from '../workers/attempt-queues.ts';
import { startAttemptWorker } from '../workers/attempt-worker.ts';
import type { AttemptWorkerOptions } from '../workers/attempt-worker.ts';
import { capturedEvent } from './deliveries.ts';
import { newDestination } from './destinations.ts';
import { testSealer } from './sealer.ts';

/** The ledger on its own database, in virtual time, with workers that send to this machine. */
export type TestLedger = Awaited<ReturnType<typeof openTestLedger>>;

/** Long timeout: test receivers answer when the test says so, and a busy machine takes its time. */
const REQUEST_MS = 120_000;

/** Opens it without a worker. */
export async function openTestLedger(mongodbUri: string) {
  // Near real time, because the TTL monitor uses real time.
  const clock = new ManualClock(new Date());
  const store: MongoStore & { drop(): Promise<void> } = await testStore(mongodbUri, schema.collections);
  const log = createLogger({ service: 'test', level: 'silent' });
  const sealer = testSealer(store);
  const egress = createGuardedEgress({ allow: ['127.0.0.1'], userAgent: 'test', log });
  const disablings: Disabling[] = [];
  const counts = createEventCounts({ store, clock });
  const deliveries = createDeliveryRepository(store, counts, (_session, disabling) => {
    disablings.push(disabling);
    return Promise.resolve();
  });
  const destinations = createDestinationRepository(store, sealer, () => Promise.resolve());
  const upkeep = createUpkeep(store, counts);
  const send = createRequestSender({ egress, clock, deadlineMs: REQUEST_MS });
  const readTarget = createTargetReads(store, sealer);
  const ctx = testContext();

  /** A new event for destinations of an account, captured now. */
  function event(accountId: string, destinationIds: readonly string[]): CapturedEvent {
    const at = { occurredAt: clock.now(), capturedAt: clock.now() };
    return capturedEvent({ id: prefixedId('te', clock.now()), accountId, destinationIds, ...at });
  }

  return {
    clock,
    store,
    deliveries,
    /** Records of destinations disabled by failures; retried transactions repeat a record. */
    disablings,
    destinations,
    replays: createReplayRepository(store, counts),
    /** Current destinations with their secrets; never outdated within a test. */
    targets: {
      async read(destinationId: string) {
        const found = await readTarget(destinationId);
        return found && { ...found, isCurrent: () => true };
      },
    },
    ctx,
    send,
    log,

    /** Erases all data of an account. */
    async erase(accountId: string) {
      const data = createAccountData(store, sealer);
      while (!(await data.erase(platformContext, accountId)));
    },

    /** A new destination, by default of a new account. */
    async destination({
      accountId = guid(),
      ...o
    }: Parameters<typeof newDestination>[0] & { readonly accountId?: string } = {}) {
      const given = newDestination({ id: prefixedId('dst'), secret: newSigningSecret(), ...o });
      await destinations.insert(ctx, accountId, given, 100);
      return { accountId, id: given.id, secret: given.secret };
    },

    event,

    /** Creates this many events for these destinations. */
    events(count: number, accountId: string, destinationIds: readonly string[]): readonly CapturedEvent[] {
      return Array.from({ length: count }, () => event(accountId, destinationIds));
    },

    /** A process that makes attempts; `nowMs` is the clock for the age of its reads. */
    worker({
      nowMs,
      ...o
    }: Partial<
      Pick<AttemptWorkerOptions, 'deliveries' | 'limits' | 'log' | 'send' | 'targets' | 'timers'>
    > & {
      readonly nowMs?: () => number;
    } = {}) {
      const targets = createCachedTargets({ read: readTarget, ...(nowMs && { nowMs }) });
      const parts = { deliveries, targets, send, limits: ATTEMPT_LIMITS, clock, timers: systemTimers, log };
      const worker = startAttemptWorker({ ...parts, ...o });
      return {
        ...worker,
        record: (events: readonly CapturedEvent[]) =>
          recordEvents({ deliveries, firstAttempts: worker }, events),
      };
    },

    /** Stores events whose first attempts are unclaimed. */
    async storeUnclaimed(events: readonly CapturedEvent[]) {
      await deliveries.insert(events, () => null);
    },

    async delivery(eventId: string, destinationId: string): Promise<DeliveryDocument> {
      const found = await store
        .collection(deliveryCollection)
        .findOne({ _id: deliveryId(eventId, destinationId) });
      if (found === null) throw new Error('There is no such delivery.');
      return found;
    },

    /** Changes a destination in a transaction that stays open, as after the death of its process, until the returned function is called. */
    async holdDestination(destinationId: string): Promise<() => Promise<void>> {
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = store.withTransaction(async (session) => {
        const update = { $inc: { held: 1 } };
        await store.db
          .collection<{ _id: string }>(destinationCollection.name)
          .updateOne({ _id: destinationId }, update, { session });
        held.resolve();
        await release.promise;
        await session.abortTransaction();
      });
      await held.promise;
      return () => {
        release.resolve();
        return holding;
      };
    },

    /** Number of a destination's deliveries by state. */
    async states(destinationId: string): Promise<Record<string, number>> {
      const found = await store.collection(deliveryCollection).find({ destinationId }).toArray();
      return Object.fromEntries(
        Object.entries(Object.groupBy(found, ({ state }) => state)).map(([state, all]) => [
          state,
          all.length,
        ]),
      );
    },

    /** Runs the destination's upkeep until nothing is left; returns the scheduled work. */
    async keepUp(destinationId: string) {
      for (;;) {
        const document = await store.collection(destinationCollection).findOne({ _id: destinationId });
        if (document === null) return undefined;
        const settlement = await upkeep(document, clock.now());
        if (settlement?.at?.getTime() !== clock.now().getTime()) return settlement;
      }
    },

    async close() {
      await egress.close();
      await store.drop();
    },
  };
}
