import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { EventService } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { LedgerService } from '@fairlead/contracts/delivery/v1/ledger_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import {
  openEgress,
  openNats,
  openRpcServer,
  openSealing,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { DeliveryConfig } from './config.ts';
import { consumeCapturedEvents } from './events/captured-events.ts';
import { toDeletionRecord } from './rpc/convert-destination-change.ts';
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
import { createEventRepository } from './storage/event.repository.ts';
import { REPLAY_DUE_PATH, replayCollection } from './storage/replay.collection.ts';
import { createReplayRepository } from './storage/replay.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { createTargetReads } from './storage/target-reads.ts';
import { createUpkeep } from './storage/upkeep.ts';
import { recordEvents } from './use-cases/record-events.ts';
import { ATTEMPT_LIMITS } from './workers/attempt-queues.ts';
import { startAttemptWorker } from './workers/attempt-worker.ts';
import { startDestinationUpkeep } from './workers/destination-upkeep.ts';
import { startReplayer } from './workers/replayer.ts';

/** Starts the delivery service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: DeliveryConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'delivery', config, ...overrides }, async (parts) => {
    const { clock, log, closers } = parts;
    const timers = systemTimers;
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const egress = openEgress(parts, config);
    const changeLog = createChangeLog({ store, clock });
    const destinations = createDestinationRepository(store, sealer, (session, deletion) =>
      changeLog.append(session, toDeletionRecord(deletion)),
    );
    const deliveries = createDeliveryRepository(store);
    const targets = createCachedTargets({ read: createTargetReads(store, sealer) });
    const send = createRequestSender({ egress, clock });
    const attempts = closers.add(
      'attempts',
      startAttemptWorker({ deliveries, targets, send, limits: ATTEMPT_LIMITS, clock, timers, log }),
    );
    const recording = { deliveries, firstAttempts: attempts };
    closers.add(
      'captured events',
      consumeCapturedEvents({ nats, recordEvents: (events) => recordEvents(recording, events), log }),
    );
    const replays = createReplayRepository(store);
    const replayClaims = createClaims(store, replayCollection, REPLAY_DUE_PATH);
    closers.add('replayer', startReplayer({ claims: replayClaims, replays, clock, timers, log }));
    const claims = createClaims(store, destinationCollection, UPKEEP_PATH);
    const perform = createUpkeep(store);
    closers.add('upkeep', startDestinationUpkeep({ claims, perform, clock, timers, log }));
    const awaitCachedReads = () => untilReadsAreStale(timers);
    const deps = { destinations, deliveries, targets, send, awaitCachedReads, clock };
    const eventDeps = { events: createEventRepository(store), destinations, replays, clock };
    return await openRpcServer(parts, config, (router) =>
      router
        .service(DestinationService, createDestinationService(deps))
        .service(EventService, createEventService(eventDeps))
        .service(LedgerService, createLedgerService(deps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer)))
        .service(ChangeService, createChangeService(changeLog)),
    );
  });
}
