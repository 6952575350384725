import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

/** What getConnectSession needs. */
export interface GetConnectSessionDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'find'>;
}

/** One session of the account, also if it is over; NOT_FOUND if there is none. */
export async function getConnectSession(
  { connectSessions }: GetConnectSessionDeps,
  ctx: RequestContext,
  id: string,
): Promise<ConnectSession> {
  const session = await connectSessions.find(ctx, accountOf(ctx), id);
  if (session === undefined) throw sessionNotFound();
  return session;
}
