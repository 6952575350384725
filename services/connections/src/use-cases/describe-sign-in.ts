import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { SignInHead } from '../domain/sign-in.ts';
import { stateExpired } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

interface DescribeSignInDeps {
  readonly signIns: Pick<SignInStore, 'findPending'>;
  readonly clock: Clock;
}

/**
 * A pending sign-in, for the page that asks the person whether to go on. Changes nothing, so link scanners and repeated
 * visits are harmless. OAUTH_STATE_EXPIRED for a state that is not pending.
 */
export async function describeSignIn(
  { signIns, clock }: DescribeSignInDeps,
  ctx: RequestContext,
  state: string,
): Promise<SignInHead> {
  const signIn = isGuid(state) ? await signIns.findPending(ctx, state, clock.now()) : undefined;
  if (signIn === undefined) throw stateExpired();
  return signIn;
}
