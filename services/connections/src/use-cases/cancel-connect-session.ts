import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import { useSession } from './use-session.ts';

type CancelConnectSessionDeps = DepsOf<typeof useSession> & {
  readonly connectSessions: Pick<ConnectSessionStore, 'end'>;
};

/** Ends the calling end user's session and returns it; a completed one stays completed. */
export async function cancelConnectSession(
  deps: CancelConnectSessionDeps,
  ctx: RequestContext,
): Promise<ConnectSession> {
  const { session } = await useSession(deps, ctx);
  const { accountId, id } = session;
  const ended = await deps.connectSessions.end(ctx, accountId, id, {
    by: 'endUser',
    at: deps.clock.now(),
  });
  if (ended === undefined) throw sessionNotFound();
  return ended;
}
