import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
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
import { createConnectionsClient } from './clients/connections.ts';
import { createDestinationsClient } from './clients/destinations.ts';
import { createTriggerTypesClient } from './clients/trigger-types.ts';
import type { TriggersConfig } from './config.ts';
import { eventsStream } from './events/event-stream.ts';
import { createWorkerFilters } from './filters/worker-filters.ts';
import { createTriggerService } from './rpc/trigger-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { createTriggerRepository } from './storage/trigger.repository.ts';

/** Starts the triggers service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: TriggersConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'triggers', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const store = await openStore(parts, config, schema);
    await openNats(parts, config, [eventsStream]);
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
      destinations: createDestinationsClient({
        ...client,
        peer: openPeer(parts, config, 'delivery', config.DELIVERY_URL),
      }),
      filters: createWorkerFilters(evaluations),
    };
    return openRpcServer(parts, config, (router) =>
      router
        .service(TriggerService, createTriggerService(deps))
        .service(UseService, createUseService(deps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer))),
    );
  });
}
