import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import { getSignIn } from './get-sign-in.ts';
import { useSession } from './use-session.ts';

type GetConnectSignInDeps = DepsOf<typeof useSession | typeof getSignIn>;

/** Like getSignIn, but only for sign-ins of the calling end user's session. */
export async function getConnectSignIn(
  deps: GetConnectSignInDeps,
  ctx: RequestContext,
  state: string,
): Promise<CompletedSignIn | undefined> {
  const { session, opener } = await useSession(deps, ctx);
  return await getSignIn(deps, opener, state, session.id);
}
