import { CallFailure } from '@fairlead/connector-runtime/failure';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { isCertificateCode } from '../postgresql/session-failure.ts';
import type { BsonDocument } from './wire.ts';

/** Error code of a refused login. */
const AUTHENTICATION_FAILED = 18;

/** A server's reply that reports an error. */
class CommandError extends HandlerError {
  constructor(reply: BsonDocument) {
    const code = Number(reply['code']) || 0;
    super(`MongoDB reported an error: ${textOf(reply['errmsg'])}`, {
      isUnauthorized: code === AUTHENTICATION_FAILED,
    });
  }
}

/** Throws CommandError if the reply reports an error: of the command, of a document, or of the write concern. */
export function requireOk(reply: BsonDocument): BsonDocument {
  if (reply['ok'] !== 1) throw new CommandError(reply);
  const { writeErrors, writeConcernError } = reply;
  if (Array.isArray(writeErrors) && writeErrors.length > 0) {
    // The server sent this list of documents.
    const [first] = writeErrors as readonly BsonDocument[];
    const done = Number(reply['n']) || 0;
    throw new CommandError({
      code: first?.['code'],
      errmsg: `${textOf(first?.['errmsg'])} (${done} written before it)`,
    });
  }
  if (typeof writeConcernError === 'object' && writeConcernError !== null)
    throw new CommandError({ ...writeConcernError });
  return reply;
}

/** Converts an error of dialing a server to a HandlerError with the error's text; other errors are returned unchanged. */
export function dialFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CallFailure) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined || error.constructor !== Error) return error;
  if (isCertificateCode(code))
    return new HandlerError(`The TLS certificate of the server cannot be verified: ${error.message}`);
  return new HandlerError(`The connection to the server failed: ${error.message}`, { cause: error });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'no reason given';
}
