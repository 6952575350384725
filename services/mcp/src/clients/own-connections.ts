import { OWN_CONNECTION_PATH } from '@fairlead/access/built-in-clients';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { OwnConnections } from '../ports/own-connections.ts';

/** Users' connections in the connections service, and the gateway's page on which they make them. */
export function createOwnConnectionsClient(
  o: RpcClientOptions & { readonly publicUrl: string },
): OwnConnections {
  const credentials = createRpcClient(CredentialService, o);
  return {
    async findExpired(ctx, { applicationSlug, endUserId }) {
      try {
        const by = { case: 'applicationSlug', value: applicationSlug } as const;
        const { connection } = await credentials.resolveConnection(ctx, { by, endUserId });
        const isExpired = connection?.status === ConnectionStatus.NEEDS_REAUTHENTICATION;
        return isExpired ? connection.id : undefined;
      } catch (error) {
        // The call has failed already; only its text gets better.
        if (error instanceof ApiError) return undefined;
        throw error;
      }
    },
    linkFor(user, application, connectionId) {
      const connection = connectionId === undefined ? {} : { connection: String(connectionId) };
      const query = new URLSearchParams({ user, application, ...connection });
      return `${o.publicUrl}${OWN_CONNECTION_PATH}?${query.toString()}`;
    },
  };
}
