import type { ServiceImpl } from '@connectrpc/connect';
import type { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { CreateConnectSessionDeps } from '../use-cases/create-connect-session.ts';
import { createConnectSession } from '../use-cases/create-connect-session.ts';
import type { DeleteEndUserDeps } from '../use-cases/delete-end-user.ts';
import { deleteEndUser } from '../use-cases/delete-end-user.ts';
import type { EndConnectSessionDeps } from '../use-cases/end-connect-session.ts';
import { endConnectSession } from '../use-cases/end-connect-session.ts';
import type { GetConnectSessionDeps } from '../use-cases/get-connect-session.ts';
import { getConnectSession } from '../use-cases/get-connect-session.ts';
import { fromCreateSessionRequest, toCreateResponse, toSession } from './convert-connect-session.ts';

/** What ConnectSessionService needs. */
export type ConnectSessionServiceDeps = CreateConnectSessionDeps &
  GetConnectSessionDeps &
  EndConnectSessionDeps &
  DeleteEndUserDeps;

/** ConnectSessionService of proto/fairlead/connections/v1 over the use cases. */
export function createConnectSessionService(
  deps: ConnectSessionServiceDeps,
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
