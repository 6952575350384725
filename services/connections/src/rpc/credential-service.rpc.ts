import type { ServiceImpl } from '@connectrpc/connect';
import type {
  CredentialService,
  ResolveConnectionRequest,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { lateChild } from '@fairlead/service-kit/telemetry/logger';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { addNeededScopes } from '../use-cases/add-needed-scopes.ts';
import { findConnections } from '../use-cases/find-connections.ts';
import { getCredentials } from '../use-cases/get-credentials.ts';
import { listDefaultConnections } from '../use-cases/list-default-connections.ts';
import { openConnection } from '../use-cases/open-connection.ts';
import { resolveConnection } from '../use-cases/resolve-connection.ts';
import { readUnknownTool } from '../use-cases/read-unknown-tool.ts';
import type { ToolReader } from '../use-cases/read-tools-again.ts';
import { toConnection } from './convert-connection.ts';
import {
  fromReference,
  fromResolveItems,
  fromVersion,
  toCredentialsResponse,
  toFailedResult,
  toFoundConnection,
  toOpenedConnection,
} from './convert-credential.ts';

/** CredentialService of proto/fairlead/connections/v1 over the use cases. */
export function createCredentialService(
  deps: DepsOf<
    | typeof openConnection
    | typeof listDefaultConnections
    | typeof findConnections
    | typeof readUnknownTool
    | typeof getCredentials
    | typeof addNeededScopes
  > & { readonly clock: Clock; readonly toolReader: Pick<ToolReader, 'readDaily'> },
): ServiceImpl<typeof CredentialService> {
  async function openForCall(ctx: RequestContext, request: ResolveConnectionRequest) {
    const opened = await openConnection(deps, ctx, fromReference(request), request.endUserId);
    deps.toolReader.readDaily(ctx, opened.connection);
    return toOpenedConnection(opened, deps.clock.now());
  }

  return {
    async resolveConnection(request, h) {
      const ctx = requestContext(h);
      if (request.opensCredential) return openForCall(ctx, request);
      const reference = fromReference(request);
      const connection = await resolveConnection(deps, ctx, reference, request.endUserId);
      deps.toolReader.readDaily(ctx, connection);
      return { connection: toConnection(connection, deps.clock.now()) };
    },
    async resolveConnections({ items }, h) {
      const ctx = requestContext(h);
      const keys = fromResolveItems(items);
      ctx.log.info(
        { requestIds: [...new Set(keys.flatMap(({ requestIds }) => requestIds))] },
        'calls share an RPC',
      );
      // Concurrently, so that they share a database read.
      const results = keys.map(async ({ request, requestIds }) => {
        const its = { ...ctx, log: lateChild(ctx.log, { requestIds }) };
        return openForCall(its, request).then(
          (found) => ({ found }),
          (error: unknown) => toFailedResult(its, error),
        );
      });
      return { results: await Promise.all(results) };
    },
    async listDefaultConnections({ applicationSlugs, endUserId }, h) {
      const ctx = requestContext(h);
      const connections = await listDefaultConnections(deps, ctx, applicationSlugs, endUserId);
      const now = deps.clock.now();
      return { connections: connections.map((connection) => toConnection(connection, now)) };
    },
    async findConnections({ ids, applicationSlugs, endUserId, withRevisions }, h) {
      const choice = { ids, applicationSlugs, endUserId, withRevisions };
      const found = await findConnections(deps, requestContext(h), choice);
      const now = deps.clock.now();
      return { connections: found.map((each) => toFoundConnection(each, now)) };
    },
    async readToolsAgain(request, h) {
      const { isAnnounced } = request;
      const of = { ...fromReference(request), isAnnounced };
      return { hasChanged: await readUnknownTool(deps, requestContext(h), of) };
    },
    async addNeededScopes({ connectionId, scopes }, h) {
      await addNeededScopes(deps, requestContext(h), connectionId, scopes);
      return {};
    },
    async getCredentials({ connectionId, rejectedVersion }, h) {
      const ctx = requestContext(h);
      return toCredentialsResponse(
        await getCredentials(deps, ctx, connectionId, fromVersion(rejectedVersion)),
      );
    },
  };
}
