import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeConnectorHead, encodeTool, encodeTriggerType } from '@fairlead/connector-model/codec';
import type { ConnectorHead, ToolDefinition, TriggerTypeDefinition } from '@fairlead/connector-model/model';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import type { ResolveConnectionRequest } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { toItemError } from '@fairlead/service-kit/rpc/errors';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { addressFor } from '@fairlead/service-kit/testing/peer';

/** A connection of the stand-ins, with the access token of each credential version. */
interface ConnectionFixture {
  readonly id: number;
  readonly accountId: string;
  readonly authenticationId: number;
  readonly isLicensed: boolean;
  readonly accessTokens: readonly string[];
}

/** Stand-ins for the services and the vendor that the tools service calls, in this process, on real sockets. */
export interface Neighbours {
  readonly catalogUrl: string;
  readonly connectionsUrl: string;
  /** A gateway that admits every caller. */
  readonly gatewayUrl: string;
  /** Requests that reached the vendor: method, path and authorization. */
  readonly vendorLog: string[];
  close(): Promise<void>;
}

/** Starts a catalogue with one application, its connections, and a vendor that accepts only `validToken`. */
export async function startNeighbours(o: {
  readonly callerKeys: KeyRing;
  readonly tools: readonly ToolDefinition[];
  readonly triggerTypes?: readonly TriggerTypeDefinition[];
  readonly connector: Omit<ConnectorHead, 'baseUrl'>;
  /** Address of another server instead of the vendor's. */
  readonly baseUrl?: string;
  readonly connections: readonly ConnectionFixture[];
  readonly validToken: string;
  /** The vendor's response to `GET /path`, by default its one item; a promise delays it. */
  readonly responses?: Readonly<Record<string, unknown>>;
}): Promise<Neighbours> {
  const vendorLog: string[] = [];
  // Keeps idle connections open: a busy client might reuse one that was just closed, and fail.
  const vendor = createServer(
    { keepAliveTimeout: 0 },
    (request, response) => void respond(request, response),
  );
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const authorization = request.headers.authorization ?? '';
    vendorLog.push(`${request.method} ${request.url} ${authorization}`);
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const isAuthorized = authorization === `Bearer ${o.validToken}`;
    const body = isAuthorized
      ? ((await o.responses?.[`${request.method} ${path}`]) ?? {
          items: [{ name: 'Ada', seen: authorization }],
        })
      : { message: `bad ${authorization}` };
    response.writeHead(isAuthorized ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
  await new Promise<void>((resolve) => {
    vendor.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server has an address of this form.
  const baseUrl = o.baseUrl ?? `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;

  const log = createLogger({ service: 'test', level: 'silent' });
  const config = {
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    CALLER_CONTEXT_KEYS: o.callerKeys,
    SHUTDOWN_GRACE_MS: 1_000,
  };
  const found = (accountId: string, id: number): ConnectionFixture => {
    const connection = o.connections.find((each) => each.id === id && each.accountId === accountId);
    if (!connection) throw notFound('connection');
    return connection;
  };
  const message = ({ id, authenticationId, isLicensed }: ConnectionFixture) => ({
    id,
    authenticationId,
    applicationSlug: o.connector.slug,
    licence: { status: isLicensed ? LicenceStatus.ACTIVE : LicenceStatus.EXPIRED },
  });

  const resolved = (accountId: string, by: ResolveConnectionRequest['by'] | undefined) => {
    if (by?.case === 'id') return { connection: message(found(accountId, by.value)) };
    const [first] = o.connections.filter((each) => each.accountId === accountId);
    if (!first) throw new ApiError('NO_DEFAULT_CONNECTION', 'None.');
    return { connection: message(first) };
  };

  const catalog = await startRpcServer({
    name: 'catalog',
    config,
    log,
    clock: systemClock,
    routes(router) {
      router.service(ToolService, {
        resolveTool({ toolSlug }) {
          const definition = o.tools.find((tool) => tool.toolSlug === toolSlug);
          if (!definition) throw notFound('tool');
          return {
            candidates: [{ applicationSlug: o.connector.slug, encodedDefinition: encodeTool(definition) }],
          };
        },
      });
      router.service(TriggerTypeService, {
        resolveTriggerType({ slug }) {
          const definition = o.triggerTypes?.find((type) => type.slug === slug);
          if (!definition) throw notFound('trigger type');
          const applicationSlug = slug.startsWith('other') ? 'other' : o.connector.slug;
          return { applicationSlug, encodedDefinition: encodeTriggerType(definition) };
        },
      });
      router.service(ApplicationService, {
        getConnector: () => ({ encodedConnector: encodeConnectorHead({ ...o.connector, baseUrl }) }),
      });
    },
    openToAnonymous: [ToolService.method.resolveTool, ApplicationService.method.getConnector],
  });
  const connections = await startRpcServer({
    name: 'connections',
    config,
    log,
    clock: systemClock,
    routes(router) {
      router.service(CredentialService, {
        resolveConnection: ({ by }, h) => resolved(actingAccountOf(requestContext(h)), by),
        resolveConnections({ items }, h) {
          const accountId = actingAccountOf(requestContext(h));
          return {
            results: items.map(({ request }) => {
              try {
                return { found: resolved(accountId, request?.by) };
              } catch (error) {
                return { error: toItemError(error) };
              }
            }),
          };
        },
        getCredentials({ connectionId, rejectedVersion }, h) {
          const { accessTokens } = found(actingAccountOf(requestContext(h)), connectionId);
          const version = rejectedVersion === undefined ? 0n : rejectedVersion + 1n;
          const accessToken = accessTokens[Number(version)];
          if (accessToken === undefined)
            return { outcome: { case: 'needsReauthentication', value: 'Sign in again.' } };
          return {
            outcome: {
              case: 'credential',
              value: { version, fields: {}, accessToken, secrets: [accessToken] },
            },
          };
        },
      });
    },
    openToAnonymous: CredentialService.methods,
  });
  const gateway = await startRpcServer({
    name: 'gateway',
    config,
    log,
    clock: systemClock,
    routes(router) {
      router.service(CallerService, { checkCaller: () => ({}) });
    },
    openToAnonymous: CallerService.methods,
  });
  return {
    catalogUrl: addressFor(catalog),
    connectionsUrl: addressFor(connections),
    gatewayUrl: addressFor(gateway),
    vendorLog,
    async close() {
      await Promise.all([catalog.close(), connections.close(), gateway.close()]);
      vendor.closeAllConnections();
      vendor.close();
    },
  };
}
