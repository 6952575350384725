import { DatabaseError } from 'pg';
import type { Json } from '@fairlead/connector-model/model';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { StaleSessionError, withPooledSession } from '@fairlead/connector-runtime/sessions/session-pool';
import type { SessionKind } from '@fairlead/connector-runtime/sessions/session-pool';
import { openDatabaseSession } from './database-session.ts';
import type { DatabaseSession } from './database-session.ts';
import { queryRows } from './query.ts';
import type { QueryRows } from './query.ts';
import { sessionFailure } from './session-failure.ts';

const SESSIONS: SessionKind = { name: 'postgresql', idleMs: 30_000, idlePerConnection: 5 };

/** A kept session whose server does not begin a transaction within this time, or a quarter of the call's, is replaced. */
const REUSE_LIMIT_MS = 2_000;
/** SQLSTATE class of a server that ends sessions. */
const OPERATOR_INTERVENTION = '57P';

/** One transaction. */
export interface Session {
  /** Runs one statement with separate values. Throws DatabaseError, or HandlerError if the result is too large. */
  query(text: string, values?: readonly Json[]): Promise<QueryRows>;
  /** The time that a statement may still take. */
  remainingMs(): number;
}

type Mode = 'read' | 'write';

/**
 * Runs `use` in a transaction, in a kept session of the call's connection or else a new one through the guarded egress; a
 * failure, the deadline or a cancellation rolls it back. `write`: it is committed. `read`: the database itself refuses
 * changes, every statement sees the same snapshot, and it is rolled back after the call.
 *
 * If a kept session is found dead, everything runs once more in a new one: before the first statement of `use`, or at any
 * time in `read`. What may have changed something never runs twice.
 */
export async function withSession<T>(
  call: HandlerCall,
  mode: Mode,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  // Statements time out shortly before the call does, so that the database reports it and rolls back.
  const endsAt = performance.now() + call.timeoutMs - Math.min(1000, call.timeoutMs / 10);
  const remainingMs = (): number => Math.max(1, Math.floor(endsAt - performance.now()));
  return withPooledSession(call.sessions, {
    kind: SESSIONS,
    key: call.sessionKey,
    signal: call.signal,
    open: () => openDatabaseSession(call),
    work: async (session, isReused) => {
      const endCall = session.startCall(call.signal);
      try {
        await begin(session, { mode, isReused, remainingMs });
        const query: Session['query'] = (text, values = []) => queryRows(session.client, text, values);
        const result = await use({ query, remainingMs }).catch((error: unknown) => {
          const mayRunAgain = isReused && mode === 'read' && !call.signal.aborted;
          throw mayRunAgain && isLost(error, session) ? new StaleSessionError('', { cause: error }) : error;
        });
        if (mode === 'write') await session.client.query('COMMIT');
        return result;
      } catch (error) {
        if (error instanceof StaleSessionError && !call.signal.aborted) throw error;
        throw sessionFailure(error instanceof StaleSessionError ? error.cause : error);
      } finally {
        endCall();
      }
    },
  });
}

/** Begins the transaction. Throws StaleSessionError if a reused session does not. */
async function begin(
  session: DatabaseSession,
  o: { readonly mode: Mode; readonly isReused: boolean; readonly remainingMs: () => number },
): Promise<void> {
  const statements = openingStatements(o.mode, o.remainingMs());
  if (!o.isReused) {
    await session.client.query(statements);
    return;
  }
  const timer = setTimeout(() => session.cut(), Math.min(REUSE_LIMIT_MS, o.remainingMs() / 4));
  try {
    await session.client.query(statements);
  } catch (error) {
    throw new StaleSessionError('', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a statement failed because its session ended, by the server or on the way. */
function isLost(error: unknown, session: DatabaseSession): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith(OPERATOR_INTERVENTION) === true;
  return !(error instanceof CallFailure) && session.lost.aborted;
}

/** The settings are local to the transaction, so that a connection pooler in between is not affected. */
function openingStatements(mode: Mode, timeoutMs: number): string {
  return [
    mode === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'iso_8601'",
    "SET LOCAL bytea_output = 'hex'",
  ].join('; ');
}
