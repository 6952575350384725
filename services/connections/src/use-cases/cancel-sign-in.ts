import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import { stateExpired } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

interface CancelSignInDeps {
  readonly signIns: Pick<SignInStore, 'cancel'>;
  readonly clock: Clock;
}

/**
 * Ends a pending sign-in outside of connect sessions because the person cancelled: polling then reports OAUTH_SIGN_IN_FAILED.
 * OAUTH_STATE_EXPIRED for a state that is not pending.
 */
export async function cancelSignIn(
  { signIns, clock }: CancelSignInDeps,
  ctx: RequestContext,
  state: string,
): Promise<void> {
  const isCancelled =
    isGuid(state) && (await signIns.cancel(ctx, state, 'the person who was asked cancelled it', clock.now()));
  if (!isCancelled) throw stateExpired();
}
