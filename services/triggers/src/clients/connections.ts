import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Connections } from '../ports/connections.ts';

/** Client of the connections service. */
export function createConnectionsClient(o: RpcClientOptions): Connections {
  const connections = createRpcClient(ConnectionService, o);
  const credentials = createRpcClient(CredentialService, o);
  return {
    async find(ctx, id) {
      const [found] = (await credentials.findConnections(ctx, { ids: [id] })).connections;
      return found === undefined ? undefined : { id: found.id, applicationSlug: found.applicationSlug };
    },
    async findOwn(ctx, applicationSlug) {
      const page = { offset: 0, top: 1 };
      const { items } = await connections.listConnections(ctx, { page, applicationSlug });
      return items[0]?.id;
    },
    async create(ctx, applicationSlug, connectionName) {
      const { connection } = await connections.createConnection(ctx, { applicationSlug, connectionName });
      if (connection === undefined) throw new TypeError('The connections service returned no connection.');
      return connection.id;
    },
  };
}
