import { DatabaseError } from 'pg';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** SQLSTATE of a cancelled statement; here the cause is its timeout. */
export const QUERY_CANCELED = '57014';
/** SQLSTATE class of a refused login. */
const INVALID_AUTHORIZATION = '28';

/**
 * Converts an error of a database session to a HandlerError with the original message, if it comes from the database or the connection;
 * other errors are returned unchanged.
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
      'The server does not offer TLS. Choose "No TLS" for the connection, or enable TLS on the server.',
    );
  }
  if (error.message.includes('password must be a')) {
    return new HandlerError('The server requires a password.', { isUnauthorized: true });
  }
  // For a lost or broken connection, pg throws plain errors and Node throws errors with a code; other errors are defects.
  if (error.constructor !== Error) return error;
  return new HandlerError(`The connection to the database failed: ${error.message}`, { cause: error });
}

/** Whether the server reported that it does not support TLS. */
export function isTlsRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

function databaseFailure(error: DatabaseError): HandlerError {
  if (error.code === QUERY_CANCELED) {
    return new HandlerError(`The database stopped the statement: ${error.message}.`, { cause: error });
  }
  const isUnauthorized = error.code?.startsWith(INVALID_AUTHORIZATION) === true;
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  return new HandlerError(`PostgreSQL reported an error: ${error.message}.${hint}`, {
    isUnauthorized,
    cause: error,
  });
}

/** Whether an error code is about a certificate: OpenSSL's X509_V_ERR_… names, and Node's own ERR_TLS_…. */
export function isCertificateCode(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/.test(code);
}
