// The gateway's edge up to a stage; each stage adds one layer.
import { createEdgeApp } from '@fairlead/rest-kit/edge';
import { createInProgress, IN_PROGRESS_LIMITS } from '@fairlead/rest-kit/in-progress';
import { createAccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import { createLargeAnswers } from '@fairlead/rest-kit/large-answers';
import { createLargeBodies } from '@fairlead/rest-kit/large-bodies';
import { createBodyThread } from '@fairlead/rest-kit/large-body/body-thread';
import type { Route } from '@fairlead/rest-kit/route';
import { connectionRecord } from '@fairlead/rest-records/connection';
import { getConnection } from '@fairlead-services/gateway/routes/connections/get-connection';
import { connectionParams } from '@fairlead-services/gateway/routes/connections/inputs';
import { defineRoute } from '@fairlead-services/gateway/routes/define-route';
import { forEachService } from '@fairlead/service-list/services';
import { createRemoteServices } from '@fairlead-services/gateway/services';
import type { RemoteServices } from '@fairlead-services/gateway/services';
import { memoryIdempotency } from '@fairlead/rest-kit/idempotency/testing/memory-idempotency';
import { systemClock } from '@fairlead/service-kit/clock';
import { startHttpServer } from '@fairlead/service-kit/http/server';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { reportReady } from '../child.ts';
import { EDGE_STAGES, GATE_STAGES, OPEN_PATH } from '../requests.ts';
import type { EdgeStage } from '../requests.ts';
import type { Stores } from '../stores.ts';
import { callerKeys } from './caller.ts';
import { openGate } from './gate.ts';
import { connectionJson } from './record.ts';

const TIMEOUT_MS = 8_000;

const record = {
  operationId: 'getConnection',
  method: 'get',
  path: '/v1/connections/{connectionId}',
  tags: ['Connections'] as [string],
  summary: 'Get a connection',
  params: connectionParams,
  resource: 'connection',
  response: connectionRecord,
  errors: [],
} as const;

const permission = 'connections.read';
const anonymous = defineRoute({ ...record, auth: 'anonymous' }, () => Promise.resolve(connectionJson));
const authenticated = defineRoute({ ...record, auth: 'credential', permission }, () =>
  Promise.resolve(connectionJson),
);
const withHop = defineRoute(
  { ...record, auth: 'credential', permission, services: ['connections'] },
  async ({ ctx, params, services }) => {
    await services.connections.getConnection(ctx, { id: params.connectionId });
    return connectionJson;
  },
);

const ROUTES: Readonly<Record<EdgeStage, Route<RemoteServices>>> = {
  edge: anonymous,
  log: anonymous,
  auth: authenticated,
  budgets: authenticated,
  hop: withHop,
  presentation: getConnection,
  gate: authenticated,
  'cold-gate': authenticated,
};

/** In the gate's own process: another process of the same program would cost another tenth per call. */
const openRoute = defineRoute(
  { ...record, operationId: 'getOpenConnection', path: `${OPEN_PATH}${record.path}`, auth: 'anonymous' },
  () => Promise.resolve(connectionJson),
);

const away = () => Promise.reject(new Error('There is no service for bytes.'));

async function serve(stage: EdgeStage, stubUrl: string, stores: Stores, apiKey: string): Promise<void> {
  const peer = createRpcPeer({ service: 'stub', addresses: [stubUrl], transport: 'connect-fast' });
  const log = createLogger({ service: 'gateway', level: stage === 'edge' ? 'silent' : 'info' });
  const remote = createRemoteServices({
    peers: forEachService(() => peer),
    callerKeys,
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    runTimeoutMs: TIMEOUT_MS,
    dataTimeoutMs: TIMEOUT_MS,
  });
  const { authenticate, limits, headers } = await openGate({ stage, stores, apiKey, log });
  const accountCpu = createAccountCpu({ log });
  const edge = createEdgeApp({
    routes: [ROUTES[stage], openRoute],
    pages: [],
    mounts: [],
    services: remote,
    authenticate,
    isOperator: () => false,
    limits,
    countCall: () => undefined,
    idempotency: memoryIdempotency(log),
    audit: { record: () => Promise.resolve() },
    largeBodies: createLargeBodies(),
    largeAnswers: createLargeAnswers(),
    bodyThread: createBodyThread(accountCpu.charge),
    relay: { upload: away, download: away },
    accountCpu,
    inProgress: createInProgress(IN_PROGRESS_LIMITS),
    publicUrl: 'https://bench.fairlead.example',
    documentPath: '/openapi.json',
    log,
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    longTimeoutMs: TIMEOUT_MS,
    dataTimeoutMs: TIMEOUT_MS,
    isStrict: true,
    service: 'gateway',
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: edge });
  reportReady({ url: server.url, headers });
}

const [stage, stubUrl = '', mongodbUri = '', natsUrl = '', apiKey = ''] = process.argv.slice(2);
const known = [...EDGE_STAGES, ...GATE_STAGES].find((it) => it === stage);
if (known !== undefined) await serve(known, stubUrl, { mongodbUri, natsUrl }, apiKey);
