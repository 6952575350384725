import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { requireSessionMethod } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import { bindBrowser } from './bind-browser.ts';
import type { VendorRedirect } from './bind-browser.ts';
import { findSessionApplication } from './find-session-application.ts';
import { requirePlace } from './require-place.ts';
import { startSignIn } from './start-sign-in.ts';
import { useSession } from './use-session.ts';

type SignInWithinSessionDeps = DepsOf<
  | typeof useSession
  | typeof findSessionApplication
  | typeof requirePlace
  | typeof startSignIn
  | typeof bindBrowser
> & { readonly connectSessions: Pick<ConnectSessionStore, 'addSignIn'> };

/**
 * Starts a sign-in in the calling end user's session and binds it to their browser at once, because the hosted page has already asked them.
 * Only the newest MAX_SESSION_SIGN_INS sign-ins of a session can be completed. Errors as for startSignIn; NOT_FOUND for an application that
 * the session does not offer, CONFLICT if the end user has the maximum number of connections, OAUTH_STATE_EXPIRED if the session ends
 * meanwhile.
 */
export async function signInWithinSession(
  deps: SignInWithinSessionDeps,
  ctx: RequestContext,
  { applicationSlug, authenticationId, fields }: MethodKey & { readonly fields: LazyObject },
): Promise<VendorRedirect & { readonly state: string }> {
  const { session, opener } = await useSession(deps, ctx);
  const application = await findSessionApplication(deps, opener, session, applicationSlug);
  requireSessionMethod(application.head, application.renews, authenticationId);
  if (application.renews === undefined) await requirePlace(deps, opener, session);
  const { state } = await startSignIn(deps, opener, {
    applicationSlug,
    authenticationId,
    provider: application.provider,
    fields: application.renews?.kind === 'MCPClient' ? serverOf(application.renews) : fields,
    connectSessionId: session.id,
    ...(application.renews && { connectionId: application.renews.id }),
  });
  await deps.connectSessions.addSignIn(opener, session.accountId, session.id, state, deps.clock.now());
  return { state, ...(await bindBrowser(deps, opener, state, session.id)) };
}

/** When renewing, the server stays the same. */
function serverOf({ fields }: Pick<Connection, 'fields'>): LazyObject {
  const { serverUrl } = fields;
  return serverUrl === undefined ? {} : { serverUrl };
}
