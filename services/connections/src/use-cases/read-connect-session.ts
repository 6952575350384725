import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import type { ConnectSession } from '../domain/connect-session.ts';
import { hashSessionToken, sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import { endOrphanedSession } from './end-orphaned-session.ts';

type ReadConnectSessionDeps = DepsOf<typeof endOrphanedSession> & {
  readonly connectSessions: Pick<ConnectSessionStore, 'findByToken'>;
};

/** The session of a token, ended or not; NOT_FOUND for an unknown token. Only the platform itself may call this. */
export async function readConnectSession(
  deps: ReadConnectSessionDeps,
  ctx: RequestContext,
  token: Secret,
): Promise<ConnectSession> {
  requirePlatform(ctx);
  const session = await deps.connectSessions.findByToken(ctx, hashSessionToken(token));
  if (session === undefined) throw sessionNotFound();
  return await endOrphanedSession(deps, ctx, session);
}
