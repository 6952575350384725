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

/** Address at which the browser continues. */
export interface VendorRedirect {
  readonly authorizeUrl: string;
  /** Secret that identifies the browser when it returns. */
  readonly browserBinding: Secret;
}

// 256 bits.
const BINDING_LENGTH = 43;

/**
 * Binds a pending sign-in to the calling browser and returns the vendor's address. A later browser takes over, because the first may have
 * been a link scanner. OAUTH_STATE_EXPIRED for a state that is not pending, or not of that connect session (null: of none), so that a
 * session's sign-in can only be reached from its own page. OAUTH_SIGN_IN_FAILED if the vendor refuses pushed parameters.
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
