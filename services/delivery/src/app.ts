import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { EventService } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import { openRpcServer, openSealing, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { DeliveryConfig } from './config.ts';
import { toDeletionRecord } from './rpc/convert-destination-change.ts';
import { createDestinationService } from './rpc/destination-service.rpc.ts';
import { createEventService } from './rpc/event-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { createDestinationRepository } from './storage/destination.repository.ts';
import { createEventRepository } from './storage/event.repository.ts';
import { REPLAY_DUE_PATH, replayCollection } from './storage/replay.collection.ts';
import { createReplayRepository } from './storage/replay.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { untilReadsAreStale } from './sending/read-age.ts';
import { startReplayer } from './workers/replayer.ts';

/** Starts the delivery service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: DeliveryConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'delivery', config, ...overrides }, async (parts) => {
    const { clock, log, closers } = parts;
    const store = await openStore(parts, config, schema);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const changeLog = createChangeLog({ store, clock });
    const destinations = createDestinationRepository(store, sealer, (session, deletion) =>
      changeLog.append(session, toDeletionRecord(deletion)),
    );
    const awaitCachedReads = () => untilReadsAreStale(systemTimers);
    const deps = { destinations, awaitCachedReads, clock };
    const replays = createReplayRepository(store);
    const eventDeps = { events: createEventRepository(store), destinations, replays, clock };
    const claims = createClaims(store, replayCollection, REPLAY_DUE_PATH);
    closers.add('replayer', startReplayer({ claims, replays, clock, timers: systemTimers, log }));
    return await openRpcServer(parts, config, (router) =>
      router
        .service(DestinationService, createDestinationService(deps))
        .service(EventService, createEventService(eventDeps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer)))
        .service(ChangeService, createChangeService(changeLog)),
    );
  });
}
