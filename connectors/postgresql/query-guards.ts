import { DatabaseError } from 'pg';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { Guards } from './session.ts';

/** Predefined roles with access to functions or files whose effects no transaction can undo. */
const ROLES = [
  'pg_execute_server_program',
  'pg_write_server_files',
  'pg_signal_backend',
  'pg_signal_autovacuum_worker',
];
const MARK = 'beyond transactions: ';
const SYNTAX_ERROR = '42601';
const INVALID_TEXT = '22P02';

/**
 * Fails if the user has, or can take, a role whose effects no transaction can undo: `set_config` in a query changes the role like SET ROLE.
 * It fails instead of returning a result, because the query is sent in the same round trip. Converting a text to a number causes the error
 * without PL/pgSQL.
 */
const REQUIRE_USER = `
  SELECT CAST(pg_catalog.concat('${MARK}', r.rolname) AS pg_catalog.int4)
  FROM pg_catalog.pg_roles r
  WHERE (r.rolsuper OR r.rolreplication OR r.rolname IN (${ROLES.map((name) => `'${name}'`).join(', ')}))
    AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')`.trim();

const REFUSED_USER =
  'Run query needs a database user that can act only within a transaction. The user of the connection is, or may become, a superuser, ' +
  `a role with REPLICATION, or one of ${ROLES.join(', ')}. Give the connection a user that may only read.`;

/** Statements that make the database refuse everything but one query, and users whom a read-only transaction does not restrict. */
export function queryGuards(sql: string): Guards {
  // After FOR, the grammar accepts only a query. So COPY, which writes files even in a read-only transaction, is refused.
  return { statements: [REQUIRE_USER], parsed: [`DECLARE fairlead CURSOR FOR ${sql}`] };
}

/** Converts an error of a guarded query to the error to throw. */
export function guardedFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  if (error.code === INVALID_TEXT && error.message.includes(MARK))
    return new HandlerError(REFUSED_USER, { cause: error });
  if (error.code === SYNTAX_ERROR || error.message.includes('DECLARE CURSOR'))
    error.hint ??= 'Run query takes one query: SELECT, VALUES, TABLE or WITH.';
  return error;
}
