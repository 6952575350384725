import { OWN_CONNECTION_PATH } from '@fairlead/access/built-in-clients';
import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { OwnConnections } from '../ports/own-connections.ts';

/** Kinds of applications whose connections are renewed on a page. On-prem applications have no sign-in. */
const RENEWABLE: ReadonlySet<ApplicationKind> = new Set([
  ApplicationKind.REGULAR,
  ApplicationKind.KEY,
  ApplicationKind.MCP_CLIENT,
]);

/** Users' connections in the connections service, and the gateway's page on which they are created. */
export function createOwnConnectionsClient(
  o: RpcClientOptions & { readonly publicUrl: string },
): OwnConnections {
  const credentials = createRpcClient(CredentialService, o);
  return {
    async findExpired(ctx, used) {
      const request =
        'sharedId' in used
          ? { by: { case: 'id', value: used.sharedId } as const }
          : {
              by: { case: 'applicationSlug', value: used.applicationSlug } as const,
              endUserId: used.endUserId,
            };
      try {
        const { connection } = await credentials.resolveConnection(ctx, request);
        if (connection?.status !== ConnectionStatus.NEEDS_REAUTHENTICATION) return undefined;
        const { id, connectionName: name, kind } = connection;
        return { id, name, isRenewable: RENEWABLE.has(kind) };
      } catch (error) {
        // The call has already failed; the text can only become more helpful.
        if (error instanceof ApiError) return undefined;
        throw error;
      }
    },
    linkFor({ userId: user, applicationSlug: application, connectionId, isShared, elicitationId }) {
      const connection = connectionId === undefined ? {} : { connection: String(connectionId) };
      const shared = isShared ? { shared: 'true' } : {};
      const query = new URLSearchParams({
        user,
        application,
        ...connection,
        ...shared,
        elicitation: elicitationId,
      });
      return `${o.publicUrl}${OWN_CONNECTION_PATH}?${query.toString()}`;
    },
  };
}
