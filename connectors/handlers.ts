import type { Handler, HandlerRegistry } from '@fairlead/connector-runtime/handler';
import type { HandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';

/** A connector's `handlers.ts`: its handlers by the name that the manifest uses. */
interface HandlerModule {
  readonly handlers: Readonly<Record<string, Handler>>;
}

interface ConnectorHandlers {
  readonly load: () => Promise<HandlerModule>;
  /** Its handlers speak a protocol with the code of a third party, and run in workers. */
  readonly isIsolated: boolean;
  /** Calls of one connection at once, and so its sessions in one process. Default: no limit of the connector's own. */
  readonly callsPerConnection?: number;
}

/** Calls of one connection at once to a database or a mail server. */
const CALLS_PER_CONNECTION = 5;

/** Loaded on first use: most processes call few connectors. */
const MODULES = new Map<string, ConnectorHandlers>([
  ['http', { load: () => import('./http/handlers.ts'), isIsolated: false }],
  ['onprem-http', { load: () => import('./onprem-http/handlers.ts'), isIsolated: false }],
  ['onprem-database', { load: () => import('./onprem-database/handlers.ts'), isIsolated: true }],
  ['onprem-files', { load: () => import('./onprem-files/handlers.ts'), isIsolated: false }],
  ['gmail', { load: () => import('./gmail/handlers.ts'), isIsolated: true }],
  ['mcp', { load: () => import('./mcp/handlers.ts'), isIsolated: true }],
  ['graphql', { load: () => import('./graphql/handlers.ts'), isIsolated: false }],
  [
    'mongodb',
    {
      load: () => import('./mongodb/handlers.ts'),
      isIsolated: true,
      callsPerConnection: CALLS_PER_CONNECTION,
    },
  ],
  [
    'mysql',
    { load: () => import('./mysql/handlers.ts'), isIsolated: true, callsPerConnection: CALLS_PER_CONNECTION },
  ],
  [
    'postgresql',
    {
      load: () => import('./postgresql/handlers.ts'),
      isIsolated: true,
      callsPerConnection: CALLS_PER_CONNECTION,
    },
  ],
  [
    'smtp',
    { load: () => import('./smtp/handlers.ts'), isIsolated: true, callsPerConnection: CALLS_PER_CONNECTION },
  ],
  ['rss', { load: () => import('./rss/handlers.ts'), isIsolated: true }],
]);

/** Modules that were loaded: `import()` resolves the name again each time, for about 10 µs. */
const loaded = new Map<string, Promise<HandlerModule>>();

function loadModule(connectorSlug: string): Promise<HandlerModule> | undefined {
  const known = loaded.get(connectorSlug);
  if (known !== undefined) return known;
  const loading = MODULES.get(connectorSlug)?.load();
  if (loading !== undefined) loaded.set(connectorSlug, loading);
  return loading;
}

/** The module that workers run. */
export const workerEntry = new URL('worker.ts', import.meta.url);

/** The handlers of every connector in this build, for a worker; rejects for a name that no connector has. */
export const connectorHandlers: HandlerRegistry = async (connectorSlug, name) => {
  const module = await loadModule(connectorSlug);
  const handler =
    module !== undefined && Object.hasOwn(module.handlers, name) ? module.handlers[name] : undefined;
  if (handler === undefined) throw new Error(`The connector ${connectorSlug} has no handler ${name}.`);
  return handler;
};

/** Whether a connector of this build has a handler of that name. */
export async function hasHandler(connectorSlug: string, name: string): Promise<boolean> {
  const module = await loadModule(connectorSlug);
  return module !== undefined && Object.hasOwn(module.handlers, name);
}

/** The handlers for a service: isolated handlers run in `workers`. Their names are checked there. */
export function createConnectorHandlers(workers: Pick<HandlerWorkers, 'handler'>): HandlerRegistry {
  return async (connectorSlug, name) => {
    const { isIsolated = false, ...limits } = MODULES.get(connectorSlug) ?? {};
    return isIsolated ? workers.handler(connectorSlug, name, limits) : connectorHandlers(connectorSlug, name);
  };
}
