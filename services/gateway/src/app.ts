import { Closers } from '@fairlead/service-kit/lifecycle';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/logger';
import { connectMongo } from '@fairlead/service-kit/mongo';
import { connectNats } from '@fairlead/service-kit/nats';
import { createRpcPeer } from '@fairlead/service-kit/rpc-peer';
import type { RpcPeer } from '@fairlead/service-kit/rpc-peer';
import type { MongoStore } from '@fairlead/service-kit/mongo';
import { startTelemetry } from '@fairlead/service-kit/telemetry';
import type { GatewayConfig } from './config.ts';
import { createEdge } from './http/edge.ts';
import { startHttpServer } from './http/server.ts';
import { hearIdentityChanges } from './identity/events/identity-changes.ts';
import { cacheKeyOwners } from './identity/key-owner-cache.ts';
import { identityCollections, identityRepository } from './identity/storage/identity.repository.ts';
import { createAuthenticate } from './identity/use-cases/authenticate.ts';
import { openApiDocument } from './openapi/document.ts';
import { docsPages } from './pages/docs.ts';
import { livenessPage, readinessPage } from './pages/health.ts';
import { signInPages } from './pages/sign-in.ts';
import { routeTable } from './routes/route-table.ts';
import { createServices } from './services.ts';

/** A running gateway. */
export interface App {
  /** Base address of the REST API as bound. */
  readonly httpUrl: string;
  /** Drains within the grace and closes everything. */
  close(): Promise<void>;
}

const READINESS_LIMIT_MS = 2000;

/** Starts the gateway. Rejects where its port is taken or its database does not come up. */
export async function buildApp(config: GatewayConfig): Promise<App> {
  const log = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
  const clock = systemClock;
  const closers = new Closers(log);
  try {
    const telemetry = await startTelemetry({ service: 'gateway', config, log });
    closers.push('telemetry', () => telemetry.close());
    const store = await connectMongo({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      log,
      collections: identityCollections,
    });
    closers.push('mongo', () => store.close());

    const nats = await connectNats({ url: config.NATS_URL, name: 'gateway', log });
    closers.push('nats', () => nats.close());

    const identity = identityRepository(store);
    const authenticate = createAuthenticate({
      findKeyOwner: cacheKeyOwners((hash) => identity.findKeyOwner(hash), {
        clock,
        hear: (onChange) => hearIdentityChanges(nats, onChange),
      }),
      clock,
    });
    const peer = (addresses: readonly string[]): RpcPeer => {
      const opened = createRpcPeer({ addresses, transport: config.RPC_TRANSPORT });
      closers.push('peer', () => opened.close());
      return opened;
    };
    const services = createServices({
      catalog: peer(config.CATALOG_URL),
      connections: peer(config.CONNECTIONS_URL),
      tools: peer(config.TOOLS_URL),
      callerKey: config.CALLER_CONTEXT_KEY,
      clock,
      timeoutMs: config.REQUEST_TIMEOUT_MS,
    });
    let isServing = true;
    const edge = createEdge({
      routes: routeTable,
      pages: [
        livenessPage,
        readinessPage(async () => isServing && (await answers(store))),
        ...docsPages(openApiDocument(routeTable, config.PUBLIC_URL)),
        ...signInPages({ services, publicUrl: config.PUBLIC_URL }),
      ],
      services,
      authenticate,
      log,
      clock,
      timeoutMs: config.REQUEST_TIMEOUT_MS,
      dataTimeoutMs: config.DATA_TIMEOUT_MS,
      isStrict: config.NODE_ENV !== 'production',
    });
    const server = await startHttpServer({ host: config.HOST, port: config.PORT, handler: edge });
    closers.push('http', async () => {
      isServing = false;
      if (!(await server.drain(config.SHUTDOWN_GRACE_MS))) log.warn('stopped while requests were in flight');
    });
    log.info({ httpUrl: server.url }, 'serving');
    return { httpUrl: server.url, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function answers(store: MongoStore): Promise<boolean> {
  try {
    await store.db.command({ ping: 1 }, { signal: AbortSignal.timeout(READINESS_LIMIT_MS) });
    return true;
  } catch {
    return false;
  }
}
