import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { SignInHead } from '../domain/sign-in.ts';
import { signInCaller, stateExpired } from '../domain/sign-in.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

interface DescribeSignInDeps {
  readonly signIns: Pick<SignInStore, 'findPending'>;
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly clock: Clock;
}

/** A pending sign-in, with descriptions of the requested scopes. */
export interface DescribedSignIn extends SignInHead {
  /** Descriptions by scope; scopes that the connector does not describe are missing. */
  readonly scopeDescriptions: OAuth2Scheme['scopeDescriptions'];
}

/**
 * A pending sign-in, for the page that asks for confirmation. Changes nothing, so link scanners and repeated visits are harmless.
 * OAUTH_STATE_EXPIRED for a state that is not pending.
 */
export async function describeSignIn(
  { signIns, catalog, clock }: DescribeSignInDeps,
  ctx: RequestContext,
  state: string,
): Promise<DescribedSignIn> {
  const signIn = isGuid(state) ? await signIns.findPending(ctx, state, clock.now()) : undefined;
  if (signIn === undefined) throw stateExpired();
  const person = { ...ctx, caller: signInCaller(signIn) };
  const { authenticationMethods } = await catalog.getConnector(person, signIn.applicationSlug);
  const scheme = authenticationMethods.find(
    ({ authenticationId }) => authenticationId === signIn.authenticationId,
  )?.scheme;
  return { ...signIn, scopeDescriptions: scheme?.type === 'oauth2' ? scheme.scopeDescriptions : {} };
}
