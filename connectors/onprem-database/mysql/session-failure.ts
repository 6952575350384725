import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { isCertificateCode } from '../../postgresql/session-failure.ts';

/** SQLSTATE class of a refused login. */
const INVALID_AUTHORIZATION = '28';
const TLS_REFUSED = 'HANDSHAKE_NO_SSL_SUPPORT';

/** Converts an error of a MySQL session to a HandlerError with the server's text; other errors are returned unchanged. */
export function sessionFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CallFailure) return error;
  const { code, sqlState, sqlMessage } = error as NodeJS.ErrnoException & {
    readonly sqlState?: unknown;
    readonly sqlMessage?: unknown;
  };
  if (typeof sqlMessage === 'string') {
    const isUnauthorized = typeof sqlState === 'string' && sqlState.startsWith(INVALID_AUTHORIZATION);
    return new HandlerError(`The database reported an error: ${sqlMessage}.`, {
      isUnauthorized,
      cause: error,
    });
  }
  if (isTlsRefused(error)) {
    return new HandlerError(
      'The server does not offer TLS. Set the sslMode of the profile to disable, or enable TLS on the server.',
    );
  }
  // The driver and Node throw plain errors with a code; other errors are refusals of the egress, or defects.
  if (code === undefined || error.constructor !== Error) return error;
  if (isCertificateCode(code))
    return new HandlerError(`The TLS certificate of the server cannot be verified: ${error.message}`);
  return new HandlerError(`The connection to the database failed: ${error.message}`, { cause: error });
}

/** Whether the server said that it does not support TLS. */
export function isTlsRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TLS_REFUSED;
}
