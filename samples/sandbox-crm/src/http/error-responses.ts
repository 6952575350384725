import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { Failure } from '../domain/failure.ts';

/**
 * The last handler of the JSON APIs: every error becomes `{"error":{"code","message"}}`. Unexpected errors are logged and not described to
 * the client.
 */
export function errorAnswers(log: Logger) {
  // Express recognises error handlers by their number of parameters, four.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    const failure = toFailure(error);
    if (failure.status >= 500 && !(error instanceof Failure))
      log.error({ err: error, path: req.path }, 'request failed');
    res
      .status(failure.status)
      .set(failure.headers)
      .json({ error: { code: failure.code, message: failure.message, details: failure.details } });
  };
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // Errors of Express and its body parser that are the client's fault have a `type` and a status.
  const type = memberOf(error, 'type');
  const status = memberOf(error, 'status');
  if (type === 'entity.parse.failed')
    return new Failure(400, 'malformed_json', 'The body is not valid JSON.');
  if (type === 'entity.too.large') return new Failure(413, 'body_too_large', 'The body is larger than 1 MB.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Failure(status, 'bad_request', 'The request could not be read.');
  }
  return new Failure(500, 'internal', 'Something went wrong on our side.');
}

function memberOf(error: unknown, name: string): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}
