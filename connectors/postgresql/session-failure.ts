import { DatabaseError } from 'pg';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** SQLSTATE of a statement that was cancelled, here by its timeout. */
export const QUERY_CANCELED = '57014';
/** SQLSTATE class: the login was refused. */
const INVALID_AUTHORIZATION = '28';

/**
 * What to throw for an error of a database session: HandlerError with the database's own message where it is the
 * database's or the connection's, else the error itself.
 */
export function sessionFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CallFailure) return error;
  if (error instanceof DatabaseError) return databaseFailure(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && isCertificateCode(code)) {
    return new HandlerError(`The TLS certificate of the server cannot be verified: ${error.message}`);
  }
  if (isTlsRefused(error)) {
    return new HandlerError(
      'The server does not offer TLS. Choose "No TLS" for the connection, or switch TLS on there.',
    );
  }
  if (error.message.includes('password must be a')) {
    return new HandlerError('The server asks for a password.', { isUnauthorized: true });
  }
  // pg throws plain errors for a lost or confused connection, and Node its own with a code; the rest are defects.
  if (error.constructor !== Error) return error;
  return new HandlerError(`The connection to the database failed: ${error.message}`, { cause: error });
}

/** Whether the server answered that it has no TLS. */
export function isTlsRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

function databaseFailure(error: DatabaseError): HandlerError {
  if (error.code === QUERY_CANCELED) {
    return new HandlerError(`The database stopped the statement: ${error.message}.`, { cause: error });
  }
  const isUnauthorized = error.code?.startsWith(INVALID_AUTHORIZATION) === true;
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  return new HandlerError(`PostgreSQL answered: ${error.message}.${hint}`, { isUnauthorized, cause: error });
}

/** Node names them after OpenSSL's X509_V_ERR_… and its own ERR_TLS_…. */
function isCertificateCode(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/.test(code);
}
