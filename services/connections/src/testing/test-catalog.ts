import { fileURLToPath } from 'node:url';
import { KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { encodeConnectorHead } from '@fairlead/connector-model/codec';
import { compileConnectors } from '@fairlead/connector-model/compile';
import type { Connector } from '@fairlead/connector-model/model';
import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { addressFor } from '@fairlead/service-kit/testing/peer';

/** A catalog over RPC with the project's connectors, and the applications that accounts store. */
export interface TestCatalog {
  readonly url: string;
  /** Applications that accounts own. */
  applications(): readonly Connector[];
  /** Adds or replaces a platform application. */
  offer(connector: Connector): void;
  /** While set, every PutAccountApplication fails with UNAVAILABLE. */
  refusePuts(on: boolean): void;
  /** Removes an application, whichever account owns it. */
  lose(slug: string): void;
  close(): Promise<void>;
}

const CONNECTORS = fileURLToPath(new URL('../../../../connectors', import.meta.url));

/** Starts it; `baseUrl` is the setting of the sandbox CRM, `connectors` are further platform connectors. */
export async function startTestCatalog(o: {
  readonly baseUrl: string;
  readonly connectors?: readonly Connector[];
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): Promise<TestCatalog> {
  const compiled = await compileConnectors(CONNECTORS);
  if (!compiled.ok) throw new Error(`The connectors do not compile: ${JSON.stringify(compiled.problems)}`);
  const platform = new Map(
    [...compiled.connectors, ...(o.connectors ?? [])].map((connector) => [
      connector.slug,
      withBaseUrl(connector, o.baseUrl),
    ]),
  );
  const own = new Map<string, Connector>();
  let isRefusing = false;
  const server = await startRpcServer({
    name: 'catalog',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: o.callerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: createLogger({ service: 'test-catalog', level: 'silent' }),
    clock: o.clock,
    routes: (router) =>
      router.service(ApplicationService, {
        getConnector({ applicationSlug }, h) {
          const accountId = actingAccountOf(requestContext(h));
          const connector = platform.get(applicationSlug) ?? own.get(`${accountId}/${applicationSlug}`);
          if (connector === undefined) throw notFound('application');
          return { encodedConnector: encodeConnectorHead(connector) };
        },
        listApplications({ kinds, page }) {
          const found = [...platform.values()].filter(
            ({ kind }) => kinds.length === 0 || kinds.includes(KIND_VALUES[kind]),
          );
          const { offset, top } = page ?? { offset: 0, top: found.length };
          const items = found.slice(offset, offset + top).map(({ slug, name, description }) => ({
            slug,
            name,
            description,
          }));
          return { items, totalCount: found.length };
        },
        putAccountApplication({ encodedConnector }, h) {
          if (isRefusing) throw new ApiError('UNAVAILABLE', 'The catalogue is unavailable.');
          const connector = parseConnector(encodedConnector);
          own.set(`${actingAccountOf(requestContext(h))}/${connector.slug}`, connector);
          return {};
        },
        deleteAccountApplication({ slug }, h) {
          own.delete(`${actingAccountOf(requestContext(h))}/${slug}`);
          return {};
        },
      }),
    openToAnonymous: [ApplicationService.method.getConnector],
  });
  return {
    url: addressFor(server),
    applications: () => [...own.values()],
    offer: (connector) => {
      platform.set(connector.slug, connector);
    },
    refusePuts: (on) => {
      isRefusing = on;
    },
    lose: (slug) => {
      for (const key of own.keys()) if (key.endsWith(`/${slug}`)) own.delete(key);
    },
    close: () => server.close(),
  };
}

function withBaseUrl(connector: Connector, baseUrl: string): Connector {
  // Replacing text by text keeps the shape.
  return JSON.parse(JSON.stringify(connector).replaceAll('{{setting.baseUrl}}', baseUrl)) as Connector;
}
