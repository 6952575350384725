import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { CHANNEL_PATH } from '@fairlead/agent-channel/channel';
import { createResources, OAUTH_PATH, OAUTH_TIMEOUT_MS } from '@fairlead/access/resources';
import { WELL_KNOWN_PATHS } from '@fairlead/access/well-known';
import type { AddressSetting } from '@fairlead/service-kit/discovery/address-setting';
import { healthPages } from '@fairlead/service-kit/http/health-pages';
import { startHttpServer } from '@fairlead/service-kit/http/server';
import {
  openAccountCpu,
  openNats,
  openPeer,
  openPools,
  openRpcServer,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { App, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { systemTimers } from '@fairlead/service-kit/timers';
import { addressVariable, forEachService } from '@fairlead/service-list/services';
import type { ServiceName } from '@fairlead/service-list/services';
import { openAudit } from '@fairlead/audit-log/open-audit';
import { createCallerService } from './authentication/caller-service.rpc.ts';
import { openAuthentication } from './authentication/open-authentication.ts';
import { subscribeToIdentityChanges } from './authentication/events/identity-changes.ts';
import type { GatewayConfig } from './config.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { createHooks } from '@fairlead/hook-edge/hook-mount';
import { createCanaryChoice } from '@fairlead/rest-kit/choose-canaries';
import { createEdgeApp } from '@fairlead/rest-kit/edge';
import { createInProgress, IN_PROGRESS_LIMITS } from '@fairlead/rest-kit/in-progress';
import { createLargeAnswers } from '@fairlead/rest-kit/large-answers';
import { createLargeBodies } from '@fairlead/rest-kit/large-bodies';
import { createBodyThread } from '@fairlead/rest-kit/large-body/body-thread';
import { openIdempotency } from '@fairlead/rest-kit/idempotency/open-idempotency';
import { sealedCollections } from '@fairlead/rest-kit/idempotency/storage/sealed-collections';
import { openCanaryOperations } from '@fairlead/service-kit/canary/open-canary-operations';
import { createBudgetService } from './limits/budget-service.rpc.ts';
import { openLimits } from './limits/open-limits.ts';
import { apiDocument } from './openapi/api-document.ts';
import { carriesOperatorKey, operatorCheck } from './operator/operator-key.ts';
import { openOperator } from './operator/open-operator.ts';
import { OPENAPI_PATH } from './pages/addresses.ts';
import { connectMount } from './pages/connect.ts';
import { ownConnection } from './pages/own-connection.ts';
import { openDocsPages } from './pages/docs.ts';
import { clientAddress } from '@fairlead/service-proxy/client-address';
import { createPollMount } from '@fairlead/service-proxy/poll-mount';
import { createServiceProxy } from '@fairlead/service-proxy/service-proxy';
import { createServiceUpload } from './proxy/service-upload.ts';
import { routeTable } from './routes/route-table.ts';
import { createRemoteServices } from './services.ts';
import type { Services } from './services.ts';
import {
  announceElicitationEnds,
  subscribeToElicitationEnds,
} from '@fairlead/mcp-edge/events/elicitation-ends';
import { subscribeToCallChanges } from '@fairlead/mcp-edge/events/call-changes';
import { subscribeToServerChanges } from '@fairlead/mcp-edge/events/server-changes';
import { natsCancellations } from '@fairlead/mcp-edge/events/request-cancellations';
import { createMcpMount } from '@fairlead/mcp-edge/mcp-mount';
import { mcpMetadataPages } from '@fairlead/mcp-edge/metadata-pages';
import { createOrigins } from '@fairlead/mcp-edge/origins';
import { createFollowLists } from '@fairlead/mcp-edge/follow-lists';
import { openStreams } from '@fairlead/mcp-edge/streams/open-streams';
import { sentStream } from '@fairlead/mcp-edge/streams/sent-messages';
import { createElicitationNotices } from '@fairlead/mcp-edge/streams/elicitation-notices';
import { createTaskNotices } from '@fairlead/mcp-edge/streams/task-notices';
import { openUsage } from './usage/open-usage.ts';

/** Longest time for all of a response of the authorization server, including the attempt at a second replica. */
const AUTHORIZATION_TIMEOUT_MS = 20_000;
/** A replica counts as frozen if it answers nothing this long after identity's own timeout. */
const FROZEN_AFTER_MS = 1_000;

/** Longest duration of one request of an on-prem agent: uploading an archive of logs takes minutes. */
const AGENT_REQUEST_MS = 600_000;
/** Longest time for which the agents service waits for an agent's answer (its logs). A poll ends earlier. */
const MAX_AGENT_WAIT_MS = 28_500;

/** Share of SHUTDOWN_GRACE_MS after which streams that still wait for an answer are cut. */
const STREAM_SHARE_OF_GRACE = 0.9;

/** Starts the gateway. Rejects if its port is taken or its database is unreachable. */
export function buildApp(config: GatewayConfig, overrides: ServiceOverrides = {}): Promise<App> {
  return startService({ name: 'gateway', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const store = await openStore(parts, config, gatewaySchema);
    const nats = await openNats(parts, config, [sentStream]);
    const sealer = await openSealing(parts, config, store, sealedCollections);

    const peers = forEachService((name) => openPeer(parts, config, name, config[addressVariable(name)]));
    const httpPools = (name: ServiceName, own: AddressSetting | undefined) =>
      own === undefined
        ? { addresses: peers[name].addresses, canaries: peers[name].canaries }
        : openPools(parts, name, own, `${name}-http`);
    const callerKeys = config.CALLER_CONTEXT_KEYS;
    const remote = createRemoteServices({
      peers,
      callerKeys,
      clock,
      timeoutMs: config.REQUEST_TIMEOUT_MS,
      runTimeoutMs: config.RUN_TIMEOUT_MS,
      dataTimeoutMs: config.DATA_TIMEOUT_MS,
    });

    const resources = { store, nats, sealer, clock, log, closers };
    const authentication = openAuthentication({
      ...resources,
      peer: peers.identity,
      mcpPeer: peers.mcp,
      callerKeys,
      publicUrl: config.PUBLIC_URL,
    });
    const { authenticate, checkCaller, findOpenAccounts, findBudgets, findUserNames, dropAccount } =
      authentication;
    const audit = openAudit({
      ...resources,
      findOpenAccounts,
      findUserNames,
      sources: (['identity', 'delivery', 'triggers'] as const).map((name) => ({
        name,
        changes: createRpcClient(ChangeService, { peer: peers[name], callerKeys, clock }),
      })),
      config,
    });
    const usage = openUsage({
      ...resources,
      findOpenAccounts,
      executions: remote.executions,
      triggers: remote.triggers,
    });
    const { limits, accountData: limitsData } = openLimits(resources);
    const checks = [...BudgetService.methods, ...CallerService.methods];
    await openRpcServer(
      parts,
      { ...config, PORT: config.RPC_PORT },
      (router) =>
        router
          .service(BudgetService, createBudgetService({ checkCaller, findBudgets, limits }))
          .service(CallerService, createCallerService({ checkCaller })),
      // Calls of restricted keys and anonymous clients are allowed here, because they are counted and checked, too.
      { openToConfined: checks, openToAnonymous: checks },
    );
    const idempotency = openIdempotency({ ...resources, graceMs: config.SHUTDOWN_GRACE_MS });
    const accounts = openOperator({
      ...resources,
      config,
      peers,
      modules: {
        audit: audit.accountData,
        usage: usage.accountData,
        idempotency: idempotency.accountData,
        limits: limitsData,
      },
      onClosed: dropAccount,
      audit: audit.log,
    });
    const protectedResources = createResources(config.PUBLIC_URL);
    const services: Services = {
      ...remote,
      auditTrail: audit.trail,
      usage: usage.reports,
      limits,
      resources: protectedResources,
      accounts,
      canaries: openCanaryOperations(parts, nats),
    };

    const docs = await openDocsPages({
      document: apiDocument(config.PUBLIC_URL),
      publicUrl: config.PUBLIC_URL,
      log,
      closers,
    });
    const addressOf = (request: IncomingMessage): string => clientAddress(request, config.TRUSTED_PROXY_HOPS);
    const proxyTo = (
      service: string,
      pools: ReturnType<typeof httpPools>,
      times: { readonly timeoutMs: number; readonly responseTimeoutMs: number },
    ) => {
      const own = { caller: 'gateway', callerKeys, clock, addressOf };
      return closers.add(`proxy to ${service}`, createServiceProxy({ service, ...pools, ...own, ...times }));
    };
    const requestTimes = {
      timeoutMs: config.REQUEST_TIMEOUT_MS,
      responseTimeoutMs: config.REQUEST_TIMEOUT_MS,
    };
    const identityPools = httpPools('identity', config.IDENTITY_PAGES_URL);
    const authorizationServer = proxyTo('identity', identityPools, {
      timeoutMs: AUTHORIZATION_TIMEOUT_MS,
      responseTimeoutMs: OAUTH_TIMEOUT_MS + FROZEN_AFTER_MS,
    });
    const connectionsPools = httpPools('connections', config.CONNECTIONS_PAGES_URL);
    const connectPages = proxyTo('connections', connectionsPools, requestTimes);
    const filesPools = httpPools('tools', config.TOOLS_FILES_URL);
    const fileProxy = proxyTo('tools', filesPools, requestTimes);
    const agentsProxy = proxyTo('agents', httpPools('agents', config.AGENTS_CHANNEL_URL), {
      timeoutMs: AGENT_REQUEST_MS,
      responseTimeoutMs: MAX_AGENT_WAIT_MS + FROZEN_AFTER_MS,
    });
    const agentChannel = createPollMount(agentsProxy, {
      prefix: CHANNEL_PATH,
      pollPath: `${CHANNEL_PATH}/poll`,
    });
    const inProgress = createInProgress(IN_PROGRESS_LIMITS);
    const largeBodies = closers.add('large bodies', createLargeBodies());
    const hooks = createHooks({
      hooks: remote.hooks,
      findBudgets,
      limits,
      inProgress,
      largeBodies,
      clock,
      timers: systemTimers,
      log,
      timeoutMs: config.DATA_TIMEOUT_MS,
    });
    closers.push('hooks', () => hooks.drain());
    const largeAnswers = closers.add('large answers', createLargeAnswers());
    const accountCpu = openAccountCpu(parts);
    const countCall = (accountId: string): void => usage.meter.count(accountId);
    const streams = openStreams({
      ...resources,
      keys: config.MCP_SESSION_KEYS,
      subscribeToCredentials: (onChange) => subscribeToIdentityChanges(nats, onChange),
      followLists: createFollowLists({ endpoint: remote.mcpEndpoint, clock, log }),
    });
    const chooseCanaries = createCanaryChoice(parts.canaries, carriesOperatorKey(config.OPERATOR_KEY));
    const mcp = createMcpMount({
      endpoint: remote.mcpEndpoint,
      subscribe: (onChange) => subscribeToServerChanges(nats, onChange),
      origins: createOrigins({
        publicUrl: config.PUBLIC_URL,
        allowed: config.MCP_ALLOWED_ORIGINS,
        isLoopbackAllowed: config.NODE_ENV !== 'production',
      }),
      resources: protectedResources,
      streams,
      elicitationNotices: createElicitationNotices({
        streams,
        subscribe: (onEnd) => subscribeToElicitationEnds(nats, onEnd),
        timers: systemTimers,
      }),
      taskNotices: createTaskNotices({
        streams,
        subscribe: (onChange) => subscribeToCallChanges(nats, onChange),
        timers: systemTimers,
      }),
      cancellations: natsCancellations({ nats, log }),
      authenticate,
      chooseCanaries,
      findBudgets,
      limits,
      countCall,
      inProgress,
      idempotency: idempotency.once,
      largeBodies,
      accountCpu,
      clock,
      timers: systemTimers,
      log,
      dataTimeoutMs: config.DATA_TIMEOUT_MS,
      runTimeoutMs: config.RUN_TIMEOUT_MS,
      service: 'gateway',
    });
    const bodyThread = closers.add('body thread', createBodyThread(accountCpu.charge));
    let isServing = true;
    const edge = createEdgeApp({
      routes: routeTable,
      pages: [
        ...healthPages(() => isServing),
        ...docs,
        ...WELL_KNOWN_PATHS.map((path) => authorizationServer.page(path)),
        ...mcpMetadataPages(protectedResources),
        ...ownConnection({
          findSignedInUser: authentication.findSignedInUser,
          connectSessions: remote.connectSessions,
          onConnected: announceElicitationEnds({ nats, log }),
          publicUrl: config.PUBLIC_URL,
        }),
      ],
      mounts: [
        authorizationServer.mount(OAUTH_PATH),
        connectMount(connectPages),
        hooks.mount,
        mcp,
        agentChannel.mount,
        agentsProxy.mount('/downloads'),
      ],
      services,
      authenticate,
      chooseCanaries,
      isOperator: operatorCheck(config.OPERATOR_KEY),
      limits,
      inProgress,
      countCall,
      idempotency: idempotency.once,
      audit: audit.log,
      accountCpu,
      relay: {
        upload: createServiceUpload({ service: 'tools', ...filesPools, callerKeys, clock }),
        download: (exchange, request, response, { from, caller }) =>
          from === 'files'
            ? fileProxy.begin(exchange, request, response)
            : agentsProxy.begin(exchange, request, response, caller),
      },
      largeBodies,
      largeAnswers,
      bodyThread,
      publicUrl: config.PUBLIC_URL,
      documentPath: OPENAPI_PATH,
      log,
      clock,
      timeoutMs: config.REQUEST_TIMEOUT_MS,
      longTimeoutMs: config.RUN_TIMEOUT_MS,
      dataTimeoutMs: config.DATA_TIMEOUT_MS,
      isStrict: config.NODE_ENV !== 'production',
      service: 'gateway',
    });
    const server = await startHttpServer({ host: config.HOST, port: config.PORT, handler: edge });
    closers.push('http', async () => {
      isServing = false;
      streams.leave();
      agentChannel.drain();
      const times = { delayMs: config.DRAIN_DELAY_MS, graceMs: config.SHUTDOWN_GRACE_MS };
      // Drain the streams before the server cuts its connections: the streams use these connections.
      const streamsMs = config.SHUTDOWN_GRACE_MS * STREAM_SHARE_OF_GRACE;
      const ended = delay(times.delayMs).then(() => streams.drain(streamsMs));
      if (!(await server.drain(times))) log.warn('stopped while requests were in flight');
      await ended;
    });
    log.info({ httpUrl: server.url }, 'serving');
    return { httpUrl: server.url };
  });
}
