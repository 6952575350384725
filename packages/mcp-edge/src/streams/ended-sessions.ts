import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Session } from './session-ids.ts';

/** The sessions that their clients have ended, known to every replica. */
export interface EndedSessions {
  /** Ends a session; again is harmless. */
  add(ctx: RequestContext, session: Pick<Session, 'key' | 'expiresAt'>): Promise<void>;
  /** Whether the session with this key was ended. */
  has(ctx: RequestContext, key: string): Promise<boolean>;
}
