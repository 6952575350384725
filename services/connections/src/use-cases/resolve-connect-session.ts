import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import type { ConnectSession } from '../domain/connect-session.ts';
import { hashSessionToken, isSessionUsable, mayRenew, sessionNotFound } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface ResolveConnectSessionDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'findByToken'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'countOfEndUser'>;
  readonly clock: Clock;
}

/** A session and its remaining possibilities. */
export interface ResolvedSession {
  readonly session: ConnectSession;
  readonly isUsable: boolean;
  readonly remainingConnections: number;
  /** The connection to renew; undefined if there is none, or it is gone. */
  readonly renews: Connection | undefined;
}

/** The session of a token, ended or not; NOT_FOUND for an unknown token. Only the platform itself may call this. */
export async function resolveConnectSession(
  { connectSessions, connections, clock }: ResolveConnectSessionDeps,
  ctx: RequestContext,
  token: Secret,
): Promise<ResolvedSession> {
  requirePlatform(ctx);
  const session = await connectSessions.findByToken(ctx, hashSessionToken(token));
  if (session === undefined) throw sessionNotFound();
  const { accountId, endUserId, maxConnections, connectionId } = session;
  const [count, renewed] = await Promise.all([
    connections.countOfEndUser(ctx, accountId, endUserId, maxConnections),
    connectionId === null ? undefined : connections.find(ctx, accountId, connectionId),
  ]);
  return {
    session,
    isUsable: isSessionUsable(session, clock.now()),
    remainingConnections: maxConnections - count,
    renews: renewed !== undefined && mayRenew(session, renewed) ? renewed : undefined,
  };
}
