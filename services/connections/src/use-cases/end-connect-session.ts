import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { sessionNotFound } from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface EndConnectSessionDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'end'>;
  readonly clock: Clock;
}

/** Ends a session of the account: its token connects nothing more. NOT_FOUND if there is none; no error if it has already ended. */
export async function endConnectSession(
  { connectSessions, clock }: EndConnectSessionDeps,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  const session = await connectSessions.end(ctx, accountOf(ctx), id, { by: 'account', at: clock.now() });
  if (session === undefined) throw sessionNotFound();
}
