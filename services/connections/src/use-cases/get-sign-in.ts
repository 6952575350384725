import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import { signInFailed, stateExpired } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';

interface GetSignInDeps {
  readonly signIns: Pick<SignInStore, 'find'>;
  readonly clock: Clock;
}

/**
 * The authorised sign-in, or undefined while pending. OAUTH_STATE_EXPIRED unless the calling user has one with that state, in that connect
 * session or outside of any; OAUTH_SIGN_IN_FAILED if it failed.
 */
export async function getSignIn(
  { signIns, clock }: GetSignInDeps,
  ctx: RequestContext,
  state: string,
  connectSessionId: string | null = null,
): Promise<CompletedSignIn | undefined> {
  const owner = { ...userOf(ctx), connectSessionId };
  const signIn = isGuid(state) ? await signIns.find(ctx, owner, state, clock.now()) : undefined;
  if (signIn === undefined) throw stateExpired();
  switch (signIn.status) {
    case 'pending':
      return undefined;
    case 'completed':
      return signIn;
    case 'failed':
      throw signInFailed(signIn.reason);
  }
}
