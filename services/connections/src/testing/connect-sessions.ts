import type { MessageInitShape } from '@bufbuild/protobuf';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { CreateConnectSessionRequestSchema } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { Secret } from '@fairlead/service-kit/secret';
import type { ConnectApplicationCommand } from '../use-cases/connect-application.ts';
import type { ResolvedSession } from '../use-cases/resolve-connect-session.ts';
import { browserContext, required } from './world.ts';
import type { World } from './world.ts';

/** Creates a session of `ctx`'s account for `customer-1` (or as `request` says); returns it with the context of the end user's calls. */
export async function openSession(
  world: World,
  ctx: RequestContext,
  request: MessageInitShape<typeof CreateConnectSessionRequestSchema> = {},
) {
  const created = await world.instance.connectSessions.createConnectSession(ctx, {
    endUserId: 'customer-1',
    licenceStatus: LicenceStatus.ACTIVE,
    maxConnections: 20,
    expiresInMinutes: 30,
    ...request,
  });
  const { sessionId, endUserId } = required(created.session);
  const { token, connectUrl } = created;
  const { accountId } = (await resolveSession(world, token)).session;
  return { sessionId, token, connectUrl, accountId, page: pageContext({ accountId, endUserId, sessionId }) };
}

/** The context of an end user's call in a session. */
export function pageContext(o: { accountId: string; endUserId: string; sessionId: string }): RequestContext {
  return testContext({ caller: { kind: 'endUserSession', ...o } });
}

/** The session of a token, as the page gets it. */
export async function resolveSession(world: World, token: string): Promise<ResolvedSession> {
  return await world.instance.pages.resolveConnectSession(browserContext(), new Secret(token));
}

/** A connection to the sandbox CRM by its API key. */
export function byKey(apiToken: string = testConfig.apiToken): ConnectApplicationCommand {
  return {
    applicationSlug: 'sandbox-crm',
    authenticationId: 1,
    fields: { apiToken },
    oauthState: undefined,
  };
}
