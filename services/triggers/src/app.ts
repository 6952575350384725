import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { HookService } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import {
  openAccountCpu,
  openNats,
  openPeer,
  openRpcServer,
  openSealing,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { createConnectionsClient } from './clients/connections.ts';
import { createDestinationsClient } from './clients/destinations.ts';
import { createLedgerClient } from './clients/ledger.ts';
import { createTriggerCallsClient } from './clients/trigger-calls.ts';
import { createTriggerTypesClient } from './clients/trigger-types.ts';
import type { TriggersConfig } from './config.ts';
import { createEventStream, eventsStream } from './events/event-stream.ts';
import { createWorkerFilters } from './filters/worker-filters.ts';
import { createHookService } from './rpc/hook-service.rpc.ts';
import { createTriggerService } from './rpc/trigger-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { createFiringRepository } from './storage/firing.repository.ts';
import { createOutboxRepository } from './storage/outbox.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { DUE_PATH, triggerCollection } from './storage/trigger.collection.ts';
import { claimedRun, createTriggerRepository } from './storage/trigger.repository.ts';
import { createTriggerRuns } from './storage/trigger-runs.repository.ts';
import { createCapture } from './use-cases/capture-firings.ts';
import { startOutboxConfirmer } from './workers/outbox-confirmer.ts';
import { startTriggerRunner } from './workers/trigger-runner.ts';

/** A replica that was killed delays the next one by this. */
const OUTBOX_LEASE_MS = 10_000;

/** Starts the triggers service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: TriggersConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'triggers', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config, [eventsStream]);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const evaluations = closers.add(
      'evaluation workers',
      createEvaluationWorkers({
        log,
        clock,
        poolLimits: { maxWorkers: config.EVALUATION_PROCESSES },
        onCpu: openAccountCpu(parts).charge,
      }),
    );
    const client = { callerKeys: config.CALLER_CONTEXT_KEYS, clock };
    const deliveryPeer = openPeer(parts, config, 'delivery', config.DELIVERY_URL);
    const outbox = createOutboxRepository(store);
    const stream = createEventStream({ nats, log });
    closers.add('event stream', { close: () => stream.drain() });
    const ledger = createLedgerClient({ ...client, peer: deliveryPeer, log });
    const lease = createLease(store, 'outbox', OUTBOX_LEASE_MS);
    closers.add('outbox confirmer', startOutboxConfirmer({ outbox, stream, ledger, lease, clock, log }));
    const deps = {
      clock,
      publicUrl: config.PUBLIC_URL,
      triggers: createTriggerRepository(store, sealer),
      types: createTriggerTypesClient({
        ...client,
        peer: openPeer(parts, config, 'catalog', config.CATALOG_URL),
      }),
      connections: createConnectionsClient({
        ...client,
        peer: openPeer(parts, config, 'connections', config.CONNECTIONS_URL),
      }),
      destinations: createDestinationsClient({ ...client, peer: deliveryPeer }),
      filters: createWorkerFilters(evaluations),
      calls: createTriggerCallsClient({
        ...client,
        peer: openPeer(parts, config, 'tools', config.TOOLS_URL),
      }),
    };
    const capture = createCapture({ outbox, stream, clock });
    closers.push('capture', () => capture.drain());
    const runs = createTriggerRuns({ store, outbox, stream, clock });
    const claims = createClaims(store, triggerCollection, DUE_PATH);
    closers.add('trigger runner', startTriggerRunner({ ...deps, claims, claimedRun, runs, log }));
    const firings = createFiringRepository(store);
    const { filters } = deps;
    return openRpcServer(parts, config, (router) =>
      router
        .service(TriggerService, createTriggerService(deps))
        .service(HookService, createHookService({ firings, filters, capture, clock }))
        .service(UseService, createUseService(deps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer))),
    );
  });
}
