import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { HookService } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import { createChangeHints, subscribeToChangeHints } from '@fairlead/service-kit/changes/change-hints';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import {
  openAccountCpu,
  openNats,
  openPeer,
  openRpcServer,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { createCachedTriggerTypes, followCatalogueChanges } from './clients/cached-trigger-types.ts';
import { createConnectionChanges, createDestinationDeletions } from './clients/changes.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createDestinationsClient } from './clients/destinations.ts';
import { createLedgerClient } from './clients/ledger.ts';
import { createTriggerCallsClient, createVendorWebhooksClient } from './clients/trigger-calls.ts';
import { createTriggerTypesClient } from './clients/trigger-types.ts';
import type { TriggersConfig } from './config.ts';
import { createEventStream, eventsStream } from './events/event-stream.ts';
import { createWorkerFilters } from './filters/worker-filters.ts';
import { createHookService } from './rpc/hook-service.rpc.ts';
import { createTriggerService } from './rpc/trigger-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { createChangeRepository, pendingChange } from './storage/change.repository.ts';
import { createEndedWebhooks } from './storage/ended-webhooks.ts';
import { createEventDayRepository } from './storage/event-day.repository.ts';
import { createFiringRepository } from './storage/firing.repository.ts';
import { createOutboxRepository } from './storage/outbox.repository.ts';
import { CHANGE_DUE_PATH, pendingChangeCollection } from './storage/pending-change.collection.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import {
  DUE_PATH,
  POLL_PARTITIONS,
  SCHEDULE_PARTITIONS,
  triggerCollection,
} from './storage/trigger.collection.ts';
import { claimedRun, createTriggerRepository } from './storage/trigger.repository.ts';
import { createTriggerRuns } from './storage/trigger-runs.repository.ts';
import { WEBHOOK_DUE_PATH, webhookCollection } from './storage/webhook.collection.ts';
import { claimedWebhook, createWebhookRepository } from './storage/webhook.repository.ts';
import { createPayloads } from './payloads/create-payloads.ts';
import { createCapture } from './use-cases/capture-firings.ts';
import { startChangeFollower } from './workers/change-follower.ts';
import { startChangeRunner } from './workers/change-runner.ts';
import { startOutboxConfirmer } from './workers/outbox-confirmer.ts';
import { startTriggerRunner } from './workers/trigger-runner.ts';
import { startWebhookKeeper } from './workers/webhook-keeper.ts';

/** Lease times: they delay the successor of a killed replica. */
const OUTBOX_LEASE_MS = 10_000;
const FOLLOWER_LEASE_MS = 10_000;

/** Starts the triggers service. If a part cannot start, closes the started parts and throws. */
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
    const connectionsPeer = openPeer(parts, config, 'connections', config.CONNECTIONS_URL);
    const toolsPeer = openPeer(parts, config, 'tools', config.TOOLS_URL);
    const onRecorded = createChangeHints({ nats, service: 'triggers', log });
    const changeLog = createChangeLog({ store, clock, onRecorded });
    const deps = {
      clock,
      eventCounts: createEventDayRepository(store),
      publicUrl: config.PUBLIC_URL,
      triggers: createTriggerRepository(store, sealer, (session, action) =>
        recordAuditEvent(changeLog, session, action),
      ),
      types: createCachedTriggerTypes(
        createTriggerTypesClient({ ...client, peer: openPeer(parts, config, 'catalog', config.CATALOG_URL) }),
        { clock, subscribe: (onChange) => followCatalogueChanges(nats, onChange) },
      ),
      connections: createConnectionsClient({
        ...client,
        peer: connectionsPeer,
      }),
      destinations: createDestinationsClient({ ...client, peer: deliveryPeer }),
      filters: createWorkerFilters(evaluations),
      calls: createTriggerCallsClient({ ...client, peer: toolsPeer }),
      vendorWebhooks: createVendorWebhooksClient({ ...client, peer: toolsPeer }),
      webhooks: createWebhookRepository(store, sealer, clock, () => keeper.wake()),
    };
    const capture = createCapture({ outbox, stream, clock });
    closers.push('capture', () => capture.drain());
    const runs = createTriggerRuns({ store, outbox, stream, clock, onDue: () => polls.wake() });
    const claimsOf = (partitions: string) =>
      createClaims(store, triggerCollection, DUE_PATH, { partitions, hasTimeIndex: true });
    const runnerDeps = { ...deps, claimedRun, runs, log };
    const schedules = { ...runnerDeps, claims: claimsOf(SCHEDULE_PARTITIONS) };
    closers.add('schedule runner', startTriggerRunner(schedules, 'schedules'));
    const polls = closers.add(
      'poll runner',
      startTriggerRunner({ ...runnerDeps, claims: claimsOf(POLL_PARTITIONS) }, 'polls'),
    );
    const firings = createFiringRepository(store, clock);
    const payloads = closers.add('payloads', createPayloads());
    const { filters, triggers, webhooks } = deps;
    const changes = createChangeRepository(store, clock);
    const changeRunner = closers.add(
      'change runner',
      startChangeRunner({
        firings,
        filters,
        capture,
        clock,
        log,
        claims: createClaims(store, pendingChangeCollection, CHANGE_DUE_PATH),
        changeOf: (document) => ({ change: pendingChange(document), firedUntil: document.firedUntil }),
        remove: (claimed) => changes.remove(claimed),
      }),
    );
    const follower = closers.add(
      'change follower',
      startChangeFollower({
        changes,
        triggers,
        webhooks,
        onKept: () => changeRunner.wake(),
        clock,
        log,
        connectionChanges: createConnectionChanges({ ...client, peer: connectionsPeer }),
        destinationDeletions: createDestinationDeletions({ ...client, peer: deliveryPeer }),
        leases: {
          connections: createLease(store, 'connection-changes', FOLLOWER_LEASE_MS),
          destinations: createLease(store, 'destination-deletions', FOLLOWER_LEASE_MS),
        },
      }),
    );
    subscribeToChangeHints(nats, (service) => follower.wake(service));
    const keeper = closers.add(
      'webhook keeper',
      startWebhookKeeper({
        ...deps,
        firings,
        log,
        claims: createClaims(store, webhookCollection, WEBHOOK_DUE_PATH),
        claimedWebhook,
      }),
    );
    const registrations = createEndedWebhooks({ store, clock, onDue: () => keeper.wake() });
    const accountData = createAccountData(store, sealer, registrations);
    return openRpcServer(parts, config, (router) =>
      router
        .service(TriggerService, createTriggerService(deps))
        .service(HookService, createHookService({ ...deps, firings, payloads, capture }))
        .service(UseService, createUseService({ ...deps, registrations }))
        .service(AccountDataService, createAccountDataService(accountData))
        .service(ChangeService, createChangeService(changeLog)),
    );
  });
}
