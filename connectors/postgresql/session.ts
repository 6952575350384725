import { DatabaseError } from 'pg';
import type { Json } from '@fairlead/connector-model/json';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { StaleSessionError, withPooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import type { SessionKind } from '@fairlead/connector-runtime/sessions/session-pool';
import { openDatabaseSession } from './database-session.ts';
import type { DatabaseSession } from './database-session.ts';
import { queryRows } from './query.ts';
import type { QueryRows } from './query.ts';
import type { Preparation } from './round-trip.ts';
import { REUSE_LIMIT_MS, statementTime } from './session-time.ts';
import { sessionFailure } from './session-failure.ts';

const SESSIONS: SessionKind = { name: 'postgresql', idleMs: 30_000, idlePerConnection: 5 };

/** SQLSTATE class of errors with which a server ends sessions. */
const OPERATOR_INTERVENTION = '57P';

/** One transaction in a session of the database. */
export interface Session {
  /** Runs one statement with separate values, after its guards. Throws DatabaseError, or HandlerError if the result is too large. */
  query(text: string, values?: readonly Json[], guards?: Guards): Promise<QueryRows>;
  /** Remaining time for a statement, in milliseconds. */
  remainingMs(): number;
}

/** Statements before a statement; if one of them fails, the database skips it. */
export type Guards = Pick<Preparation, 'statements' | 'parsed'>;

const NO_GUARDS: Guards = { statements: [], parsed: [] };

type Mode = 'read' | 'write';

/**
 * Runs `use` in a transaction, in a kept session of the call's connection or else in a new one through the guarded egress. A failure, the
 * deadline or a cancellation rolls it back. `write`: it is committed. `read`: the database refuses changes, every statement sees the same
 * snapshot, and the transaction is rolled back after the call. If a kept session is found dead, everything runs once more in a new one:
 * before the first statement of `use`, or at any time in `read`. A statement that may have changed something never runs twice.
 */
export async function withSession<T>(
  call: HandlerCall,
  mode: Mode,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const remainingMs = statementTime(call);
  return withPooledSession(call.sessions, {
    kind: SESSIONS,
    key: call.sessionKey,
    signal: call.signal,
    open: () => openDatabaseSession(call),
    work: async (session, isReused) => {
      await call.beforeSend?.(isReused);
      const endCall = session.startCall(call.signal);
      const transaction = new Transaction(session, {
        mode,
        isReused,
        remainingMs,
        maxBytes: call.maxOutputBytes,
      });
      try {
        if (mode === 'write') await transaction.begin();
        const result = await use(transaction).catch((error: unknown) => {
          const mayRunAgain = isReused && mode === 'read' && !call.signal.aborted;
          const isStale = mayRunAgain && (transaction.isBeginning || isLost(error, session));
          throw isStale ? new StaleSessionError('', { cause: error }) : error;
        });
        if (mode === 'write') await session.client.query('COMMIT');
        return result;
      } catch (error) {
        if (error instanceof StaleSessionError && !call.signal.aborted) throw error;
        throw sessionFailure(error instanceof StaleSessionError ? error.cause : error);
      } finally {
        transaction.end();
        endCall();
      }
    },
  });
}

/** The transaction of one call. For `read` it begins together with the first statement, for `write` before it. */
class Transaction implements Session {
  readonly #session: DatabaseSession;
  readonly #mode: Mode;
  readonly #isReused: boolean;
  readonly #maxBytes: number;
  readonly remainingMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #state: 'none' | 'beginning' | 'begun' = 'none';

  constructor(
    session: DatabaseSession,
    o: {
      readonly mode: Mode;
      readonly isReused: boolean;
      readonly remainingMs: () => number;
      readonly maxBytes: number;
    },
  ) {
    this.#session = session;
    this.#mode = o.mode;
    this.#isReused = o.isReused;
    this.#maxBytes = o.maxBytes;
    this.remainingMs = o.remainingMs;
  }

  /** Whether BEGIN was sent and not confirmed. */
  get isBeginning(): boolean {
    return this.#state === 'beginning';
  }

  /** Begins the transaction before the first statement. Throws StaleSessionError if a reused session does not begin it. */
  async begin(): Promise<void> {
    const { statements, onFirstDone } = this.#opening(NO_GUARDS);
    try {
      await this.#session.client.query(statements.join('; '));
      onFirstDone();
    } catch (error) {
      throw this.#isReused ? new StaleSessionError('', { cause: error }) : error;
    }
  }

  /** If the transaction has not begun, the first statement begins it in the same round trip. */
  query(text: string, values: readonly Json[] = [], guards: Guards = NO_GUARDS): Promise<QueryRows> {
    const preparation =
      this.#state === 'none' ? this.#opening(guards) : { ...guards, onFirstDone: () => undefined };
    return queryRows(this.#session.client, text, values, { maxBytes: this.#maxBytes, preparation });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Starts the time in which a reused session has to begin the transaction. */
  #opening(guards: Guards): Preparation {
    this.#state = 'beginning';
    if (this.#isReused)
      this.#timer = setTimeout(() => this.#session.cut(), Math.min(REUSE_LIMIT_MS, this.remainingMs() / 4));
    return {
      statements: [...openingStatements(this.#mode, this.remainingMs()), ...guards.statements],
      parsed: guards.parsed,
      onFirstDone: () => {
        this.#state = 'begun';
        clearTimeout(this.#timer);
      },
    };
  }
}

/** Whether a statement failed because its session ended, at the server or in the network. */
function isLost(error: unknown, session: DatabaseSession): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith(OPERATOR_INTERVENTION) === true;
  return !(error instanceof CallFailure) && session.lost.aborted;
}

/** The settings are local to the transaction, so that a connection pooler in between is not affected. */
function openingStatements(mode: Mode, timeoutMs: number): readonly string[] {
  return [
    mode === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'iso_8601'",
    "SET LOCAL bytea_output = 'hex'",
  ];
}
