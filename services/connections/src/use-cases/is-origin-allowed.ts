import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface IsOriginAllowedDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'isOriginAllowed'>;
  readonly clock: Clock;
}

/** Whether a session that has not expired allows scripts of that origin, for the platform itself. */
export async function isOriginAllowed(
  { connectSessions, clock }: IsOriginAllowedDeps,
  ctx: RequestContext,
  origin: string,
): Promise<boolean> {
  requirePlatform(ctx);
  return await connectSessions.isOriginAllowed(ctx, origin, clock.now());
}
