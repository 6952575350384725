import type { ServiceImpl } from '@connectrpc/connect';
import type { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { getSignIn } from '../use-cases/get-sign-in.ts';
import { listSignInClients } from '../use-cases/list-sign-in-clients.ts';
import { startSignIn } from '../use-cases/start-sign-in.ts';
import { fromStartRequest, toSignInClient, toSignInResponse } from './convert-sign-in.ts';

/** SignInService of proto/fairlead/connections/v1 over the use cases. */
export function createSignInService(
  deps: DepsOf<typeof startSignIn | typeof getSignIn | typeof listSignInClients>,
): ServiceImpl<typeof SignInService> {
  return {
    async startSignIn(request, h) {
      return await startSignIn(deps, requestContext(h), fromStartRequest(request));
    },
    async getSignIn({ state }, h) {
      return toSignInResponse(await getSignIn(deps, requestContext(h), state));
    },
    async listSignInClients(_request, h) {
      return { clients: (await listSignInClients(deps, requestContext(h))).map(toSignInClient) };
    },
  };
}
