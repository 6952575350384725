/** A connection that was created or renewed in a session. */
export interface SessionConnection {
  readonly connectionId: number;
  readonly connectionName: string;
  readonly applicationSlug: string;
}

/** The response of `GET /connect/status`; a newer server may add members. */
export interface ConnectSession {
  readonly sessionId: string;
  readonly status: 'open' | 'completed' | 'cancelled' | 'expired';
  readonly connections: readonly SessionConnection[];
  /** Why the last attempt to connect failed, for people; null since one succeeded. */
  readonly lastError: string | null;
}

/**
 * Why no outcome of a session will be reported:
 * - `EXPIRED`: its time is over.
 * - `ENDED`: it does not exist any more, or the token is not one of a session.
 * - `UNREACHABLE`: its status could not be read for several minutes, or the page's origin is not among its `allowedOrigins`.
 * - `NO_SESSION`: the promise of its address was rejected (`cause`), or the address is not one of a session.
 */
export type ConnectErrorCode = 'EXPIRED' | 'ENDED' | 'UNREACHABLE' | 'NO_SESSION';

/** Reported if no outcome of a session can be reported. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: ConnectErrorCode;

  constructor(code: ConnectErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
