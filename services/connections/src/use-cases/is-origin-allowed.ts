import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';

interface IsOriginAllowedDeps {
  readonly connectSessions: Pick<ConnectSessionStore, 'isOriginAllowed'>;
  readonly clock: Clock;
}

/** Whether any unexpired session allows scripts of that origin. Only the platform itself may call this. */
export async function isOriginAllowed(
  { connectSessions, clock }: IsOriginAllowedDeps,
  ctx: RequestContext,
  origin: string,
): Promise<boolean> {
  requirePlatform(ctx);
  return await connectSessions.isOriginAllowed(ctx, origin, clock.now());
}
