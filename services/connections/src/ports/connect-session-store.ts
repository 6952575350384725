import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession, SessionEnder } from '../domain/connect-session.ts';

/** A session to store. */
export interface NewConnectSession extends Omit<
  ConnectSession,
  'connections' | 'lastError' | 'endedAt' | 'endedBy' | 'updatedAt'
> {
  readonly tokenHash: string;
}

/** Stores connect sessions. They can be read for a while after they have expired; the domain decides what a session may still do. */
export interface ConnectSessionStore {
  insert(ctx: RequestContext, session: NewConnectSession): Promise<ConnectSession>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<ConnectSession | undefined>;
  /** The session with that token, of any account: the token authorizes. */
  findByToken(ctx: RequestContext, tokenHash: string): Promise<ConnectSession | undefined>;
  /** Whether any account's session that is unexpired at `now` allows that origin. */
  isOriginAllowed(ctx: RequestContext, origin: string, now: Date): Promise<boolean>;
  /** Ends an open session and removes its sign-ins; undefined if there is none with that id. */
  end(
    ctx: RequestContext,
    accountId: string,
    id: string,
    ended: { readonly by: SessionEnder; readonly at: Date },
  ): Promise<ConnectSession | undefined>;
  /**
   * Keeps only the newest MAX_SESSION_SIGN_INS sign-ins of a session, `state` included; removes `state` if the session has ended at `now`.
   */
  addSignIn(ctx: RequestContext, accountId: string, id: string, state: string, now: Date): Promise<void>;
  /** Counts an attempt as refused before it is made; false, without counting, at MAX_REFUSED_ATTEMPTS. */
  countAttempt(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** Undoes the count of an attempt that was not refused. */
  forgetAttempt(ctx: RequestContext, accountId: string, id: string): Promise<void>;
  /** Records why an attempt to connect failed. */
  saveLastError(
    ctx: RequestContext,
    accountId: string,
    id: string,
    lastError: string,
    now: Date,
  ): Promise<void>;
  /** Removes the sessions of an end user, and their sign-ins. */
  deleteOfEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<void>;
}
