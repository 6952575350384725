import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession, SessionEnder } from '../domain/connect-session.ts';

/** A session to store. */
export interface NewConnectSession extends Omit<
  ConnectSession,
  'connections' | 'lastError' | 'endedAt' | 'endedBy' | 'updatedAt'
> {
  readonly tokenHash: string;
}

/** Connect sessions. They can be read for a time after they have expired; what a session may do is the domain's to say. */
export interface ConnectSessionStore {
  insert(ctx: RequestContext, session: NewConnectSession): Promise<ConnectSession>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<ConnectSession | undefined>;
  /** The session of a token, whoever asks: the token itself authorizes. */
  findByToken(ctx: RequestContext, tokenHash: string): Promise<ConnectSession | undefined>;
  /** Whether a session of any account that has not expired at `now` allows that origin. */
  isOriginAllowed(ctx: RequestContext, origin: string, now: Date): Promise<boolean>;
  /** Ends a session that has not ended, and removes its sign-ins; undefined if there is none with that id. */
  end(
    ctx: RequestContext,
    accountId: string,
    id: string,
    ended: { readonly by: SessionEnder; readonly at: Date },
  ): Promise<ConnectSession | undefined>;
  /**
   * Keeps the newest MAX_SESSION_SIGN_INS sign-ins of a session, `state` among them, and removes the others; removes `state`
   * if the session is over at `now`.
   */
  addSignIn(ctx: RequestContext, accountId: string, id: string, state: string, now: Date): Promise<void>;
  /** Counts an attempt as refused before it is made; false, and nothing is counted, if MAX_REFUSED_ATTEMPTS are. */
  countAttempt(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** Takes back the count of an attempt that was not refused. */
  forgetAttempt(ctx: RequestContext, accountId: string, id: string): Promise<void>;
  /** Records why an attempt to connect failed. */
  saveLastError(
    ctx: RequestContext,
    accountId: string,
    id: string,
    lastError: string,
    now: Date,
  ): Promise<void>;
  /** Removes the sessions of an end user with their sign-ins. */
  deleteOfEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<void>;
}
