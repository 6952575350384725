import type { ServiceImpl } from '@connectrpc/connect';
import type { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createConnectSession } from '../use-cases/create-connect-session.ts';
import { deleteEndUser } from '../use-cases/delete-end-user.ts';
import { endConnectSession } from '../use-cases/end-connect-session.ts';
import { getConnectSession } from '../use-cases/get-connect-session.ts';
import { fromCreateSessionRequest, toCreateResponse, toSession } from './convert-connect-session.ts';

/** ConnectSessionService of proto/fairlead/connections/v1 over the use cases. */
export function createConnectSessionService(
  deps: DepsOf<
    typeof createConnectSession | typeof getConnectSession | typeof endConnectSession | typeof deleteEndUser
  >,
): ServiceImpl<typeof ConnectSessionService> {
  return {
    async createConnectSession(request, h) {
      const opened = await createConnectSession(deps, requestContext(h), fromCreateSessionRequest(request));
      return toCreateResponse(opened, deps.clock.now());
    },
    async getConnectSession({ sessionId }, h) {
      const session = await getConnectSession(deps, requestContext(h), sessionId);
      return { session: toSession(session, deps.clock.now()) };
    },
    async endConnectSession({ sessionId }, h) {
      await endConnectSession(deps, requestContext(h), sessionId);
      return {};
    },
    async deleteEndUser({ endUserId }, h) {
      return { connectionIds: [...(await deleteEndUser(deps, requestContext(h), endUserId))] };
    },
  };
}
