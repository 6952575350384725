import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { sessionStatus } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { FindMember } from '../ports/members.ts';

interface EndOrphanedSessionDeps {
  readonly findMember: FindMember;
  readonly connectSessions: Pick<ConnectSessionStore, 'end'>;
  readonly clock: Clock;
}

/**
 * Returns the session; an open one is ended if its user or API key has ended, and stays ended. While identity does not answer, the session
 * is unchanged.
 */
export async function endOrphanedSession(
  { findMember, connectSessions, clock }: EndOrphanedSessionDeps,
  ctx: RequestContext,
  session: ConnectSession,
): Promise<ConnectSession> {
  const { id, accountId, userId, keyId } = session;
  const now = clock.now();
  if (sessionStatus(session, now) !== 'open') return session;
  try {
    if ((await findMember(ctx, accountId, userId, keyId ?? undefined)) !== undefined) return session;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
    // The session cannot be used meanwhile: its page asks identity, too, and refuses.
    ctx.log.info({ sessionId: id }, 'could not find out whether the user who opened a session still exists');
    return session;
  }
  return (await connectSessions.end(ctx, accountId, id, { by: 'account', at: now })) ?? session;
}
