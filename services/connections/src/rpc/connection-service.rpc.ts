import type { ServiceImpl } from '@connectrpc/connect';
import type { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createConnection } from '../use-cases/create-connection.ts';
import { deleteConnection } from '../use-cases/delete-connection.ts';
import { getConnection } from '../use-cases/get-connection.ts';
import { importConnection } from '../use-cases/import-connection.ts';
import { listConnections } from '../use-cases/list-connections.ts';
import { replaceConnection } from '../use-cases/replace-connection.ts';
import { setDefaultConnection } from '../use-cases/set-default-connection.ts';
import { setLicence } from '../use-cases/set-licence.ts';
import { testConnection } from '../use-cases/test-connection.ts';
import {
  fromCreateRequest,
  fromImportRequest,
  fromLicenceRequest,
  fromListRequest,
  fromReplaceRequest,
  toConnection,
  toListedConnection,
} from './convert-connection.ts';

/** ConnectionService of proto/fairlead/connections/v1 over the use cases. */
export function createConnectionService(
  deps: DepsOf<
    | typeof listConnections
    | typeof getConnection
    | typeof createConnection
    | typeof importConnection
    | typeof replaceConnection
    | typeof deleteConnection
    | typeof setDefaultConnection
    | typeof setLicence
    | typeof testConnection
  >,
): ServiceImpl<typeof ConnectionService> {
  const toResponse = (connection: Parameters<typeof toConnection>[0]) => ({
    connection: toConnection(connection, deps.clock.now()),
  });
  return {
    async listConnections(request, h) {
      const now = deps.clock.now();
      const filter = fromListRequest(request);
      const { items, ...rest } = await listConnections(deps, requestContext(h), filter, now);
      return { items: items.map((item) => toListedConnection(item, now)), ...rest };
    },
    async getConnection({ id }, h) {
      return toResponse(await getConnection(deps, requestContext(h), id));
    },
    async createConnection(request, h) {
      return toResponse(await createConnection(deps, requestContext(h), fromCreateRequest(request)));
    },
    async importConnection(request, h) {
      return toResponse(await importConnection(deps, requestContext(h), fromImportRequest(request)));
    },
    async replaceConnection(request, h) {
      return toResponse(await replaceConnection(deps, requestContext(h), fromReplaceRequest(request)));
    },
    async setDefaultConnection({ id }, h) {
      return toResponse(await setDefaultConnection(deps, requestContext(h), id));
    },
    async deleteConnection({ id }, h) {
      await deleteConnection(deps, requestContext(h), id);
      return {};
    },
    async testConnection({ id }, h) {
      return await testConnection(deps, requestContext(h), id);
    },
    async setLicence(request, h) {
      return toResponse(await setLicence(deps, requestContext(h), request.id, fromLicenceRequest(request)));
    },
  };
}
