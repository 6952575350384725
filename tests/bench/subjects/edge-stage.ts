// The gateway's edge, up to a stage: each one has what the one before has and one layer more.
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/logger';
import { createRpcPeer } from '@fairlead/service-kit/rpc-peer';
import { createEdge } from '@fairlead/gateway/http/edge';
import { defineRoute } from '@fairlead/gateway/http/route';
import type { Route } from '@fairlead/gateway/http/route';
import { startHttpServer } from '@fairlead/gateway/http/server';
import { generateApiKey } from '@fairlead/gateway/identity/domain/api-key';
import type { KeyOwner } from '@fairlead/gateway/identity/domain/records';
import { cacheKeyOwners } from '@fairlead/gateway/identity/key-owner-cache';
import { createAuthenticate } from '@fairlead/gateway/identity/use-cases/authenticate';
import { connectionRecord } from '@fairlead/gateway/present/connection';
import { getConnection } from '@fairlead/gateway/routes/connections/get-connection';
import { connectionParams } from '@fairlead/gateway/routes/connections/inputs';
import { createServices } from '@fairlead/gateway/services';
import { sayReady } from '../child.ts';
import { EDGE_STAGES } from '../questions.ts';
import type { EdgeStage } from '../questions.ts';
import { callerKey } from './caller.ts';
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
  { ...record, auth: 'credential', permission },
  async ({ ctx, params, services }) => {
    await services.connections.getConnection(ctx, { id: params.connectionId });
    return connectionJson;
  },
);

const ROUTES: Readonly<Record<EdgeStage, Route>> = {
  edge: anonymous,
  log: anonymous,
  auth: authenticated,
  hop: withHop,
  presentation: getConnection,
};

const owner: KeyOwner = {
  key: { id: 'key_bench', name: 'Bench', expiresAt: null, revokedAt: null },
  account: { id: 'acc_bench', name: 'Bench', isRbacEnabled: true },
  user: { id: 'usr_bench', email: 'bench@fairlead.example', name: 'Bench' },
  membership: { accountId: 'acc_bench', userId: 'usr_bench', role: 'owner', isActive: true },
};

async function serve(stage: EdgeStage, stubUrl: string): Promise<void> {
  const peer = createRpcPeer({ addresses: [stubUrl], transport: 'connect-fast' });
  const apiKey = generateApiKey().reveal();
  const edge = createEdge({
    routes: [ROUTES[stage]],
    pages: [],
    services: createServices({
      catalog: peer,
      connections: peer,
      tools: peer,
      callerKey,
      clock: systemClock,
      timeoutMs: TIMEOUT_MS,
    }),
    authenticate: createAuthenticate({
      findKeyOwner: cacheKeyOwners(() => Promise.resolve(owner), {
        clock: systemClock,
        hear: () => ({ session: () => 1 }),
      }),
      clock: systemClock,
    }),
    log: createLogger({ service: 'gateway', level: stage === 'edge' ? 'silent' : 'info' }),
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    dataTimeoutMs: TIMEOUT_MS,
    isStrict: true,
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: edge });
  sayReady({ url: server.url, apiKey });
}

const [stage, stubUrl] = process.argv.slice(2);
const known = EDGE_STAGES.find((it) => it === stage);
if (known !== undefined && stubUrl !== undefined) await serve(known, stubUrl);
