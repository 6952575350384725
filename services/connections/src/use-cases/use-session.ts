import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { isSessionUsable, sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface UseSessionDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'find'>;
  readonly clock: Clock;
}

/** The session of a call, and the context for the account's data. */
export interface UsedSession {
  readonly session: ConnectSession;
  /** Acts as the user who opened the session, with no permission but using auth providers (if the user has it). */
  readonly opener: RequestContext;
}

/**
 * The session to which an end user's call is bound. UNAUTHORIZED for any other caller; NOT_FOUND if the session has ended, or belongs to
 * another end user.
 */
export async function useSession(
  { connectSessions, clock }: UseSessionDeps,
  ctx: RequestContext,
): Promise<UsedSession> {
  const { caller } = ctx;
  if (caller.kind !== 'endUserSession')
    throw new ApiError('UNAUTHORIZED', 'This operation needs the context of a connect session.');
  const { accountId, endUserId, sessionId } = caller;
  const session = await connectSessions.find(ctx, accountId, sessionId);
  const isTheirs = session?.endUserId === endUserId;
  if (session === undefined || !isTheirs || !isSessionUsable(session, clock.now())) throw sessionNotFound();
  return { session, opener: onBehalfOfOpener(ctx, session) };
}

/** `ctx` with the user who opened the session as caller. */
function onBehalfOfOpener(
  ctx: RequestContext,
  { accountId, userId, mayUseProviders }: ConnectSession,
): RequestContext {
  const permissions = mayUseProviders ? ['authProviders.use'] : [];
  return { ...ctx, caller: { kind: 'user', accountId, userId, roles: [], permissions } };
}
