import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import { endOrphanedSession } from './end-orphaned-session.ts';

type GetConnectSessionDeps = DepsOf<typeof endOrphanedSession> & {
  readonly connectSessions: Pick<ConnectSessionStore, 'find'>;
};

/** A session of the account, ended or not; NOT_FOUND if there is none. */
export async function getConnectSession(
  deps: GetConnectSessionDeps,
  ctx: RequestContext,
  id: string,
): Promise<ConnectSession> {
  const session = await deps.connectSessions.find(ctx, accountOf(ctx), id);
  if (session === undefined) throw sessionNotFound();
  return await endOrphanedSession(deps, ctx, session);
}
