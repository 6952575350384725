import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { EventService } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { LedgerService } from '@fairlead/contracts/delivery/v1/ledger_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import { createChangeHints } from '@fairlead/service-kit/changes/change-hints';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import { createCheckpointExtension } from '@fairlead/counts/checkpoint-extension';
import { openNats, openRpcServer, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { openEgress } from '@fairlead/egress/open-egress';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { outsideSpan } from '@fairlead/service-kit/telemetry/tracing';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { DeliveryConfig } from './config.ts';
import { consumeCapturedEvents } from './events/captured-events.ts';
import { createWakeAttempts } from './events/queued-attempts.ts';
import { toDeletionRecord, toDisablingAction } from './rpc/convert-destination-change.ts';
import { createDestinationService } from './rpc/destination-service.rpc.ts';
import { createEventService } from './rpc/event-service.rpc.ts';
import { createLedgerService } from './rpc/ledger-service.rpc.ts';
import { createCachedTargets } from './sending/cached-targets.ts';
import { untilReadsAreStale } from './sending/read-age.ts';
import { createRequestSender } from './sending/request-sender.ts';
import { createAccountData } from './storage/account-data.ts';
import { createDeliveryRepository } from './storage/delivery.repository.ts';
import { destinationCollection, UPKEEP_PATH } from './storage/destination.collection.ts';
import { createDestinationRepository } from './storage/destination.repository.ts';
import { countedAs, createEventCounts } from './storage/event-counts.ts';
import { createEventRepository } from './storage/event.repository.ts';
import { REPLAY_DUE_PATH, replayCollection } from './storage/replay.collection.ts';
import { createReplayRepository } from './storage/replay.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { createRetention } from './storage/retention.ts';
import { createTargetReads } from './storage/target-reads.ts';
import { createUpkeep } from './storage/upkeep.ts';
import { recordEvents } from './use-cases/record-events.ts';
import { ATTEMPT_LIMITS } from './workers/attempt-queues.ts';
import { startAttemptWorker } from './workers/attempt-worker.ts';
import { startDestinationUpkeep } from './workers/destination-upkeep.ts';
import { startReplayer } from './workers/replayer.ts';
import { startRetention } from './workers/retention.ts';

/** Longer than a write of the retention takes. */
const RETENTION_LEASE_MS = 30_000;

/** Starts the delivery service. If a part cannot start, closes the started parts and throws. */
export function buildApp(config: DeliveryConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'delivery', config, ...overrides }, async (parts) => {
    const { clock, log, closers } = parts;
    const timers = systemTimers;
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const egress = openEgress(parts, config);
    const onRecorded = createChangeHints({ nats, service: 'delivery', log });
    const changeLog = createChangeLog({ store, clock, onRecorded });
    const destinations = createDestinationRepository(store, sealer, (session, deletion) =>
      changeLog.append(session, toDeletionRecord(deletion)),
    );
    const counts = createEventCounts({ store, clock });
    const deliveries = createDeliveryRepository(store, counts, (session, disabling) =>
      recordAuditEvent(changeLog, session, toDisablingAction(disabling)),
    );
    const targets = createCachedTargets({ read: createTargetReads(store, sealer) });
    const send = createRequestSender({ egress, clock });
    const limits = { ...ATTEMPT_LIMITS, perSecond: config.DESTINATION_REQUESTS_PER_SECOND };
    const attempts = closers.add(
      'attempts',
      startAttemptWorker({ deliveries, targets, send, limits, clock, timers, log }),
    );
    const wake = (): void => outsideSpan(() => attempts.wake());
    const wakeAttempts = createWakeAttempts({ nats, wake, clock, log });
    const recording = { deliveries, firstAttempts: { ...attempts, wake: wakeAttempts } };
    const consumer = closers.add(
      'captured events',
      consumeCapturedEvents({ nats, recordEvents: (events) => recordEvents(recording, events), clock, log }),
    );
    const replays = createReplayRepository(store, counts);
    const replayClaims = createClaims(store, replayCollection, REPLAY_DUE_PATH);
    const replayer = closers.add(
      'replayer',
      startReplayer({ claims: replayClaims, replays, wakeAttempts, clock, timers, log }),
    );
    const claims = createClaims(store, destinationCollection, UPKEEP_PATH);
    const perform = createUpkeep(store, counts);
    closers.add('upkeep', startDestinationUpkeep({ claims, perform, clock, timers, log }));
    const retention = createRetention(store);
    const lease = createLease(store, 'retention', RETENTION_LEASE_MS);
    closers.add('retention', startRetention({ retention, lease, log }));
    const awaitCachedReads = () => untilReadsAreStale(timers);
    const deps = { destinations, deliveries, targets, send, awaitCachedReads, wakeAttempts, clock };
    const extension = closers.add('counting ahead', createCheckpointExtension({ counts, countedAs, log }));
    const events = createEventRepository({ store, counts, extension });
    const wakeReplays = (): void => outsideSpan(() => replayer.wake());
    const eventDeps = { events, destinations, replays, wakeAttempts, wakeReplays, clock, timers };
    const server = await openRpcServer(parts, config, (router) =>
      router
        .service(DestinationService, createDestinationService(deps))
        .service(EventService, createEventService(eventDeps))
        .service(LedgerService, createLedgerService(deps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer)))
        .service(ChangeService, createChangeService(changeLog)),
    );
    // Started work ends while the last calls do; no other work starts.
    closers.push('beginning of attempts', () => {
      attempts.stop();
      void consumer.close();
    });
    return server;
  });
}
