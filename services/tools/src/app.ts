import { createConnectorHandlers, workerEntry } from '@fairlead/connectors/handlers';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  createHandlerWorkers,
  EXECUTION_RESULT_BYTES,
} from '@fairlead/connector-runtime/workers/handler-workers';
import { createPackageWorkers, withPackages } from '@fairlead/connector-runtime/packages/package-workers';
import { NO_PACKAGES, readAllowedPackages } from '@fairlead/connector-model/packages/allowed-package';
import { createFollowServer } from '@fairlead/connector-runtime/mcp/change-stream';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { ApprovalService } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { DetachedCallService } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { ImportService } from '@fairlead/contracts/tools/v1/import_service_pb';
import { FileService } from '@fairlead/contracts/tools/v1/file_service_pb';
import { TriggerCallService } from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import { UpstreamService } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { concurrencyOf } from '@fairlead/service-kit/config';
import { createCheckpointExtension } from '@fairlead/counts/checkpoint-extension';
import {
  openAccountCpu,
  openNats,
  openPeer,
  openRpcServer,
  openPermits,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { openEgress } from '@fairlead/egress/open-egress';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { systemTimers } from '@fairlead/service-kit/timers';
import { createImportWorkers } from '@fairlead/connector-import/import-workers';
import { createEvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { createCallFingerprints } from './approvals/call-fingerprints.ts';
import { createAgentsClient, withAgents } from './clients/agents.ts';
import { createBudgetsClient } from './clients/budgets.ts';
import { createCallersClient } from './clients/callers.ts';
import { createCatalogClient } from './clients/catalog.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createImportedApplicationsClient } from './clients/imported-applications.ts';
import { createToolListsClient } from './clients/tool-lists.ts';
import { createCachedCatalog, followCatalogueChanges } from './clients/cached-catalog.ts';
import { createClientRequests } from './client-requests/client-requests.ts';
import type { ToolsConfig } from './config.ts';
import { ProcessRunningCalls } from './detached-calls/running-calls.ts';
import { createCallChanges } from './events/call-changes.ts';
import { announceToolsetChanges } from './events/toolset-changes.ts';
import { createVendorLimits } from './events/vendor-limits.ts';
import type { ReplicatedVendorLimits } from './events/vendor-limits.ts';
import { createHistoryIds } from './domain/history-id.ts';
import { createWorkerExpressions } from './expressions/worker-expressions.ts';
import { createOutputMasker } from './masking/output-masker.ts';
import { createFileFetcher } from './file-transfer/fetch-file.ts';
import { createFilePermits } from './file-transfer/file-permits.ts';
import { fileTransfer } from './file-transfer/file-transfer.ts';
import { createSignedUrls } from './file-transfer/signed-urls.ts';
import { createFileService } from './rpc/file-service.rpc.ts';
import { createImportService } from './rpc/import-service.rpc.ts';
import { createDetachedCallService } from './rpc/detached-call-service.rpc.ts';
import { createExecutionService } from './rpc/execution-service.rpc.ts';
import { createToolsetService } from './rpc/toolset-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createApprovalService } from './rpc/approval-service.rpc.ts';
import { createTriggerCallService } from './rpc/trigger-call-service.rpc.ts';
import { createUpstreamService } from './rpc/upstream-service.rpc.ts';
import { createWorkflowService } from './rpc/workflow-service.rpc.ts';
import { createRunDrain } from './runs/run-drain.ts';
import { createSchemaValidator } from './schemas/schema-validator.ts';
import { createAccountData } from './storage/account-data.ts';
import { createDetachedCallRepository } from './storage/detached-call.repository.ts';
import { createExecutionIntents } from './storage/execution-intents.ts';
import { countedAs, createExecutionCounts } from './storage/execution-counts.ts';
import { createExecutionRepository } from './storage/execution.repository.ts';
import { createApprovalRepository } from './storage/approval.repository.ts';
import { createHourlyCalls } from './storage/hourly-calls.ts';
import { createToolsetRepository } from './storage/toolset.repository.ts';
import { fileCollection, REMOVAL_PATH } from './storage/file.collection.ts';
import { createFileRepository } from './storage/file.repository.ts';
import { schema } from './storage/schema.ts';
import { workflowRunCollection } from './storage/workflow-run.collection.ts';
import { createWorkflowRunRepository, leasedRun } from './storage/workflow-run.repository.ts';
import { createWorkflowRepository } from './storage/workflow.repository.ts';
import { findWorkflowTools } from './use-cases/workflows/find-workflow-tools.ts';
import { startFileSweep } from './workers/file-sweep.ts';
import { startRunResumer } from './workers/run-resumer.ts';

/** Concurrent checks of one account: each takes CPU time. More at once share their calls to the connections service, so each costs less. */
const CHECKS_AT_ONCE = { perAccount: 16, perPartition: 16 };

/** Concurrent uploads and downloads of one account: each keeps some chunks in memory. */
const TRANSFERS_AT_ONCE = { perAccount: 8, perPartition: 4 };
/** Concurrent imports of one account: each keeps a document in memory. */
const IMPORTS_AT_ONCE = { perAccount: 2, perPartition: 2 };
/** Concurrent workflow runs of one account: each keeps its steps' outputs, up to a few MiB. */
const RUNS_AT_ONCE = { perAccount: 20, perPartition: 20 };

/** Maximum number of sockets to followed MCP servers, in total and per account. A server has one, and briefly a second. */
const FOLLOWED_SOCKETS = { total: 2_000, perDestination: 200 };

/** Methods for a restricted key; each enforces the key's toolset itself. */
const OPEN_TO_CONFINED = [
  ExecutionService.method.executeTool,
  ExecutionService.method.executeToolInteractively,
  ExecutionService.method.answerClientRequest,
  ExecutionService.method.listExecutions,
  ExecutionService.method.getExecution,
  ToolsetService.method.getToolset,
  ToolsetService.method.listToolsetTools,
  ToolsetService.method.getToolsetTool,
  ...FileService.methods,
  ...DetachedCallService.methods,
];

/** Methods for an anonymous client of an MCP server: it may execute, but not read or store anything. */
const OPEN_TO_ANONYMOUS = [
  ExecutionService.method.executeTool,
  ExecutionService.method.executeToolInteractively,
  ExecutionService.method.answerClientRequest,
  ...UpstreamService.methods,
  DetachedCallService.method.startCall,
  DetachedCallService.method.getCall,
  DetachedCallService.method.answerCall,
  DetachedCallService.method.cancelCall,
];

/** Starts the tools service. If a part cannot start, closes the started parts and throws. */
export function buildApp(config: ToolsConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'tools', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config);
    const egress = openEgress(parts, config);
    const accountCpu = openAccountCpu(parts);
    const workers = closers.add(
      'workers',
      createHandlerWorkers({
        entry: workerEntry,
        allow: config.EGRESS_ALLOW,
        log,
        limits: { maxWorkers: config.WORKER_PROCESSES, resultBytes: EXECUTION_RESULT_BYTES },
        onCpu: accountCpu.charge,
      }),
    );
    const stopping = new AbortController();
    const listeningEgress = closers.add(
      'egress to followed servers',
      createGuardedEgress({
        allow: config.EGRESS_ALLOW,
        userAgent: 'Fairlead',
        log,
        limits: FOLLOWED_SOCKETS,
      }),
    );
    const evaluations = closers.add(
      'evaluation workers',
      createEvaluationWorkers({
        log,
        clock,
        poolLimits: { maxWorkers: config.EVALUATION_PROCESSES },
        onCpu: accountCpu.charge,
      }),
    );
    const importer = closers.add('import workers', createImportWorkers({ log, onCpu: accountCpu.charge }));
    const packages =
      config.PACKAGES_PATH === undefined ? NO_PACKAGES : await readAllowedPackages(config.PACKAGES_PATH);
    const packageWorkers = closers.add(
      'package workers',
      createPackageWorkers({
        packages,
        egress,
        log,
        limits: { maxWorkers: config.WORKER_PROCESSES },
        onCpu: accountCpu.charge,
      }),
    );
    const callerKeys = config.CALLER_CONTEXT_KEYS;
    const catalogPeer = openPeer(parts, config, 'catalog', config.CATALOG_URL);
    const catalogClient = createCatalogClient({ peer: catalogPeer, callerKeys, clock });
    const catalog = createCachedCatalog(catalogClient, {
      subscribe: (onChange) => followCatalogueChanges(nats, onChange),
      clock,
    });
    const connectionsPeer = openPeer(parts, config, 'connections', config.CONNECTIONS_URL);
    const agentsPeer = openPeer(parts, config, 'agents', config.AGENTS_URL);
    const connections = createConnectionsClient({ peer: connectionsPeer, callerKeys, clock });
    const gatewayPeer = openPeer(parts, config, 'gateway', config.GATEWAY_URL);
    const ofGateway = { peer: gatewayPeer, callerKeys, clock, timers: systemTimers };
    const { toolsets, workflows } = announceToolsetChanges({
      toolsets: createToolsetRepository(store),
      workflows: createWorkflowRepository(store),
      nats,
      log,
    });
    const counts = createExecutionCounts({ store, clock });
    const vendorLimits: ReplicatedVendorLimits = closers.add(
      'vendor limits',
      createVendorLimits({
        nats,
        clock,
        log,
        onEnd(accountId) {
          permits.wake(accountId);
          filePermits.wake(accountId);
        },
      }),
    );
    // Each partition is a connection.
    const isHeld = (accountId: string, partition: string): boolean =>
      vendorLimits.isLimited(accountId, Number(partition));
    const permits = openPermits(parts, concurrencyOf(config), isHeld);
    const filePermits = closers.add('file permits', createFilePermits({ permits, isHeld }));
    const ids = createHistoryIds(Math.random);
    const intents = createExecutionIntents({ store, ids, clock, timers: systemTimers, log, counts });
    const history = createExecutionRepository({
      store,
      ids,
      clock,
      counts,
      intents,
      extension: closers.add('counting ahead', createCheckpointExtension({ counts, countedAs, log })),
    });
    closers.push('history', () => history.drain());
    const files = createFileRepository(store);
    const urls = createSignedUrls({ publicUrl: config.PUBLIC_URL, keys: callerKeys });
    const approvals = createApprovalRepository(store);
    const drain = createRunDrain(config.SHUTDOWN_GRACE_MS / 2);
    const executing = {
      files,
      urls,
      fileFetcher: createFileFetcher(egress),
      catalog,
      connections,
      toolsets,
      hourlyCalls: createHourlyCalls({ store, clock, log }),
      approvals,
      fingerprints: createCallFingerprints(callerKeys),
      runtime: withAgents(
        createConnectorRuntime({
          egress,
          handlers: withPackages(createConnectorHandlers(workers), packageWorkers),
        }),
        createAgentsClient({ peer: agentsPeer, callerKeys, clock, log }),
      ),
      stopping: stopping.signal,
      followServer: createFollowServer({ egress: listeningEgress, measure: accountCpu.measure }),
      history,
      schemas: createSchemaValidator({ log, workers: evaluations }),
      outputMasker: createOutputMasker(evaluations),
      checkPermits: openPermits(parts, CHECKS_AT_ONCE),
      permits,
      filePermits,
      vendorLimits,
      clock,
      timeoutMs: config.EXECUTION_TIMEOUT_MS,
      workflows,
      expressions: createWorkerExpressions(evaluations),
      budgets: createBudgetsClient(ofGateway),
      callers: createCallersClient(ofGateway),
      clientRequests: createClientRequests(nats),
      runs: createWorkflowRunRepository({ store, clock }),
      runPermits: openPermits(parts, RUNS_AT_ONCE),
      drain,
      timers: systemTimers,
      log,
    };
    const detachedCalls = createDetachedCallRepository({ store, clock });
    const callChanges = createCallChanges({
      nats,
      timers: systemTimers,
      log,
      onCancelled: (hash) => runningCalls.cancel(hash),
    });
    const runningCalls = new ProcessRunningCalls({
      calls: detachedCalls,
      changes: callChanges,
      timers: systemTimers,
      log,
      graceMs: config.SHUTDOWN_GRACE_MS / 2,
    });
    const executingDetached = { ...executing, detachedCalls, callChanges, runningCalls };
    const toolsetService = createToolsetService({
      // Not cached: saving a toolset binds each slug to the tool that has it now.
      catalog: catalogClient,
      connections,
      toolsets,
      approvals,
      toolLists: createToolListsClient({ peer: catalogPeer, callerKeys, clock }),
      workflows: { findTools: (ctx, tokens) => findWorkflowTools({ workflows }, ctx, tokens) },
      clock,
    });
    const importService = createImportService({
      importer,
      packages: packageWorkers,
      imported: createImportedApplicationsClient({ peer: catalogPeer, callerKeys, clock }),
      catalog: catalogClient,
      runtime: executing.runtime,
      fileFetcher: executing.fileFetcher,
      files,
      importPermits: openPermits(parts, IMPORTS_AT_ONCE),
      clock,
    });
    const transfer = { files, urls, clock, permits: openPermits(parts, TRANSFERS_AT_ONCE) };
    closers.add(
      'file sweep',
      startFileSweep({
        claims: createClaims(store, fileCollection, REMOVAL_PATH),
        sweep: (document, now) => files.sweep(document, now),
        clock,
        log,
      }),
    );
    closers.add(
      'workflow resumer',
      startRunResumer({
        ...executing,
        due: createClaims(store, workflowRunCollection, 'due'),
        leasedRun,
      }),
    );
    const app = await openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(ExecutionService, createExecutionService(executingDetached))
          .service(DetachedCallService, createDetachedCallService(executingDetached))
          .service(ToolsetService, toolsetService)
          .service(ApprovalService, createApprovalService({ approvals, toolsets, files, clock }))
          .service(UseService, createUseService({ toolsets, clock }))
          .service(WorkflowService, createWorkflowService(executing))
          .service(TriggerCallService, createTriggerCallService(executing))
          .service(UpstreamService, createUpstreamService(executingDetached))
          .service(FileService, createFileService({ files, urls, clock }))
          .service(ImportService, importService)
          .service(AccountDataService, createAccountDataService(createAccountData(store, files, intents))),
      {
        http: { pages: [], mounts: [fileTransfer(transfer)], pageTimeoutMs: 0, admitsUsers: true },
        openToConfined: OPEN_TO_CONFINED,
        openToAnonymous: OPEN_TO_ANONYMOUS,
      },
    );
    closers.push('listeners', () => stopping.abort());
    // Runs close first. They end at their next call, so that another replica continues them, and detached calls get time while the last
    // requests end.
    closers.push('calls under way', async () => {
      await Promise.all([drain.close(), runningCalls.close()]);
    });
    return app;
  });
}
