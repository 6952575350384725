import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { hashBinding, stateExpired } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { pushAuthorization } from './push-authorization.ts';

type BindBrowserDeps = DepsOf<typeof pushAuthorization> & {
  readonly signIns: Pick<SignInStore, 'bind'>;
  readonly clock: Clock;
};

/** Where the browser continues a sign-in. */
export interface VendorRedirect {
  readonly authorizeUrl: string;
  /** Identifies the browser when it returns. */
  readonly browserBinding: Secret;
}

// 256 bits.
const BINDING_LENGTH = 43;

/**
 * Binds a pending sign-in to the calling browser and returns the vendor's address. A later browser takes over: the
 * first one may have been a link scanner. OAUTH_STATE_EXPIRED for a state that is not pending, or not that connect session's
 * (null: of none), so that nobody can be sent to a sign-in of a session but by its page; OAUTH_SIGN_IN_FAILED if the
 * vendor refuses its parameters (only of vendors that take them beforehand).
 */
export async function bindBrowser(
  deps: BindBrowserDeps,
  ctx: RequestContext,
  state: string,
  connectSessionId: string | null = null,
): Promise<VendorRedirect> {
  const browserBinding = new Secret(randomBase62(BINDING_LENGTH));
  const signIn = isGuid(state)
    ? await deps.signIns.bind(ctx, { state, connectSessionId }, hashBinding(browserBinding), deps.clock.now())
    : undefined;
  if (signIn === undefined) throw stateExpired();
  const { isPushed, authorizeUrl } = signIn;
  return {
    authorizeUrl: isPushed ? await pushAuthorization(deps, ctx, signIn) : authorizeUrl,
    browserBinding,
  };
}
