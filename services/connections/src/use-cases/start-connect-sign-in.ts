import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { requireOfferedMethod } from '../domain/connect-session.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { beginSignIn } from './begin-sign-in.ts';
import type { BeginSignInDeps, BegunSignIn } from './begin-sign-in.ts';
import { findOfferedApplication } from './find-offered-application.ts';
import { requirePlace } from './require-place.ts';
import { startSignIn } from './start-sign-in.ts';
import type { StartSignInDeps } from './start-sign-in.ts';
import { useSession } from './use-session.ts';
import type { UseSessionDeps } from './use-session.ts';

/** What startConnectSignIn needs. */
export interface StartConnectSignInDeps extends UseSessionDeps, StartSignInDeps, BeginSignInDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly tokenClient: StartSignInDeps['tokenClient'] & BeginSignInDeps['tokenClient'];
  readonly authProviders: BeginSignInDeps['authProviders'];
  readonly registeredClients: StartSignInDeps['registeredClients'] & BeginSignInDeps['registeredClients'];
  readonly connections: Pick<ConnectionStore, 'find' | 'countOfEndUser'>;
  readonly connectSessions: Pick<ConnectSessionStore, 'find' | 'addSignIn'>;
  readonly signIns: Pick<SignInStore, 'insert' | 'bind'>;
}

/**
 * Starts a sign-in in the calling end user's session and binds it to their browser: the hosted page has asked them. Of a
 * session's sign-ins only the newest MAX_SESSION_SIGN_INS can be completed. Errors as of startSignIn; NOT_FOUND for an
 * application that the session does not offer, CONFLICT if the end user has as many connections as allowed,
 * OAUTH_STATE_EXPIRED if the session ends meanwhile.
 */
export async function startConnectSignIn(
  deps: StartConnectSignInDeps,
  ctx: RequestContext,
  { applicationSlug, authenticationId, fields }: MethodKey & { readonly fields: LazyObject },
): Promise<BegunSignIn & { readonly state: string }> {
  const { session, opener } = await useSession(deps, ctx);
  const application = await findOfferedApplication(deps, opener, session, applicationSlug);
  requireOfferedMethod(application.head, application.renews, authenticationId);
  if (application.renews === undefined) await requirePlace(deps, opener, session);
  const { state } = await startSignIn(deps, opener, {
    applicationSlug,
    authenticationId,
    provider: application.provider,
    fields,
    connectSessionId: session.id,
  });
  await deps.connectSessions.addSignIn(opener, session.accountId, session.id, state, deps.clock.now());
  return { state, ...(await beginSignIn(deps, opener, state, session.id)) };
}
