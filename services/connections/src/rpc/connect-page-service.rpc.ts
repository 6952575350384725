import type { ServiceImpl } from '@connectrpc/connect';
import type { ConnectPageService } from '@fairlead/contracts/connections/v1/connect_page_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { Secret } from '@fairlead/service-kit/secret';
import type { CancelConnectSessionDeps } from '../use-cases/cancel-connect-session.ts';
import { cancelConnectSession } from '../use-cases/cancel-connect-session.ts';
import type { ConnectApplicationDeps } from '../use-cases/connect-application.ts';
import { connectApplication } from '../use-cases/connect-application.ts';
import type { GetConnectApplicationDeps } from '../use-cases/get-connect-application.ts';
import { getConnectApplication } from '../use-cases/get-connect-application.ts';
import type { GetConnectSignInDeps } from '../use-cases/get-connect-sign-in.ts';
import { getConnectSignIn } from '../use-cases/get-connect-sign-in.ts';
import type { IsOriginAllowedDeps } from '../use-cases/is-origin-allowed.ts';
import { isOriginAllowed } from '../use-cases/is-origin-allowed.ts';
import type { ListConnectApplicationsDeps } from '../use-cases/list-connect-applications.ts';
import { listConnectApplications } from '../use-cases/list-connect-applications.ts';
import type { ResolveConnectSessionDeps } from '../use-cases/resolve-connect-session.ts';
import { resolveConnectSession } from '../use-cases/resolve-connect-session.ts';
import type { StartConnectSignInDeps } from '../use-cases/start-connect-sign-in.ts';
import { startConnectSignIn } from '../use-cases/start-connect-sign-in.ts';
import {
  fromConnectRequest,
  toConnectResponse,
  toMethod,
  toResolveResponse,
  toSession,
  toSummary,
} from './convert-connect-session.ts';
import { toCompletedSignIn } from './convert-sign-in.ts';

/** What ConnectPageService needs. */
export type ConnectPageServiceDeps = ResolveConnectSessionDeps &
  IsOriginAllowedDeps &
  ListConnectApplicationsDeps &
  GetConnectApplicationDeps &
  StartConnectSignInDeps &
  GetConnectSignInDeps &
  ConnectApplicationDeps &
  CancelConnectSessionDeps;

/** ConnectPageService of proto/fairlead/connections/v1 over the use cases. */
export function createConnectPageService(
  deps: ConnectPageServiceDeps,
): ServiceImpl<typeof ConnectPageService> {
  return {
    async resolveConnectSession({ token }, h) {
      const resolved = await resolveConnectSession(deps, requestContext(h), new Secret(token));
      return toResolveResponse(resolved, deps.clock.now());
    },
    async isOriginAllowed({ origin }, h) {
      return { isAllowed: await isOriginAllowed(deps, requestContext(h), origin) };
    },
    async listConnectApplications({ page, search }, h) {
      const query = { page: readPage(page), search };
      const { items, totalCount } = await listConnectApplications(deps, requestContext(h), query);
      return { items: items.map(toSummary), totalCount };
    },
    async getConnectApplication({ slug }, h) {
      const { head, methods } = await getConnectApplication(deps, requestContext(h), slug);
      return { application: toSummary(head), methods: methods.map(toMethod) };
    },
    async startConnectSignIn(request, h) {
      const { state, authorizeUrl, browserBinding } = await startConnectSignIn(deps, requestContext(h), {
        ...request,
        fields: request.fields ?? {},
      });
      return { state, authorizeUrl, browserBinding: browserBinding.reveal() };
    },
    async getConnectSignIn({ state }, h) {
      const signIn = await getConnectSignIn(deps, requestContext(h), state);
      return signIn === undefined ? {} : { completed: toCompletedSignIn(signIn) };
    },
    async connectApplication(request, h) {
      const outcome = await connectApplication(deps, requestContext(h), fromConnectRequest(request));
      return toConnectResponse(outcome, deps.clock.now());
    },
    async cancelConnectSession(_request, h) {
      const session = await cancelConnectSession(deps, requestContext(h));
      return { session: toSession(session, deps.clock.now()) };
    },
  };
}
