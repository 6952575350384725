import { AgentService, ReleaseService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { guid } from '@fairlead/service-kit/ids';
import { openNats, openPeer, openRpcServer, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { createCatalogClient } from './clients/catalog.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createReplicas } from './clients/replicas.ts';
import type { AgentsConfig } from './config.ts';
import { replicaName } from './domain/replica-name.ts';
import { agentChannel } from './endpoint/channel-mount.ts';
import { releaseDownloads } from './endpoint/downloads.ts';
import { logDownloads } from './endpoint/log-downloads.ts';
import { createOpenPolls } from './endpoint/open-polls.ts';
import { createToReplica } from './endpoint/replicas.ts';
import { createRequestBounds } from './endpoint/request-bounds.ts';
import { createAgentWakes } from './events/agent-wakes.ts';
import { openReleaseFolder } from './releases/release-folder.ts';
import { createAgentService } from './rpc/agent-service.rpc.ts';
import { createReleaseService, VERSION } from './rpc/release-service.rpc.ts';
import { createTaskService } from './rpc/task-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { agentCollection, REMOVAL_PATH } from './storage/agent.collection.ts';
import { createAgentSessionRepository } from './storage/agent-session.repository.ts';
import { createAgentRepository } from './storage/agent.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { createTaskRepository } from './storage/task.repository.ts';
import { createAssignedTasks } from './tasks/assigned-tasks.ts';
import { createLogCollections } from './tasks/log-collections.ts';
import { createOpenPlaces } from './tasks/open-places.ts';
import { createWaitingTasks } from './tasks/waiting-tasks.ts';
import { startRemovalSweep } from './workers/removal-sweep.ts';
import { startTaskSweep } from './workers/task-sweep.ts';

/** Starts the agents service. If a part cannot start, closes the started parts and throws. */
export function buildApp(config: AgentsConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'agents', config, ...overrides }, async (parts) => {
    const { clock, closers, log } = parts;
    const store = await openStore(parts, config, schema);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const calling = { callerKeys: config.CALLER_CONTEXT_KEYS, clock };
    const catalogPeer = openPeer(parts, config, 'catalog', config.CATALOG_URL);
    const connectionsPeer = openPeer(parts, config, 'connections', config.CONNECTIONS_URL);
    const nats = await openNats(parts, config);
    const tasks = createTaskRepository(store, sealer);
    const waiting = closers.add('ended tasks', createWaitingTasks({ tasks, log }));
    const processId = guid();
    let replicaUrl = config.REPLICA_URL ?? '';
    const deps = {
      agents: createAgentRepository(store, sealer),
      tasks,
      waiting,
      places: createOpenPlaces(),
      replicas: closers.add('replicas', createReplicas({ callerKeys: config.CALLER_CONTEXT_KEYS, clock })),
      wakes: createAgentWakes({ nats, log }),
      replicaUrl: () => replicaName(replicaUrl, processId),
      catalog: createCatalogClient({ ...calling, peer: catalogPeer }),
      connections: createConnectionsClient({ ...calling, peer: connectionsPeer }),
      clock,
    };
    closers.add(
      'removal sweep',
      startRemovalSweep({ ...deps, claims: createClaims(store, agentCollection, REMOVAL_PATH), log }),
    );
    closers.add('task sweep', startTaskSweep({ tasks, clock, log }));
    const releases = openReleaseFolder(config.AGENT_RELEASES);
    const openPolls = createOpenPolls();
    const served = {
      ...deps,
      logs: createLogCollections(deps),
      toReplica: createToReplica({ callerKeys: config.CALLER_CONTEXT_KEYS, clock }),
    };
    const channel = agentChannel({
      ...served,
      sessions: createAgentSessionRepository(store),
      openPolls,
      assignedTasks: createAssignedTasks(),
      bounds: createRequestBounds(),
      release: VERSION,
    });
    const app = await openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(AgentService, createAgentService(deps))
          .service(TaskService, createTaskService(deps))
          .service(ReleaseService, createReleaseService(config.PUBLIC_URL, releases))
          .service(AccountDataService, createAccountDataService(createAccountData(store, sealer))),
      {
        http: {
          pages: [],
          mounts: [channel, logDownloads(served), releaseDownloads(releases)],
          pageTimeoutMs: 0,
          admitsUsers: true,
        },
      },
    );
    replicaUrl ||= app.httpUrl;
    // Polls close first: otherwise they would stay open until the end of the grace period.
    closers.push('polls', () => openPolls.drain());
    return app;
  });
}
