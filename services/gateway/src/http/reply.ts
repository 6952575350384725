import type { ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import { fromConnectError, toConnectError } from '@fairlead/service-kit/rpc-errors';
import { errorEnvelope } from './envelope.ts';
import type { Exchange } from './exchange.ts';

const FIRST_SERVER_ERROR = 500;

/** Answers `body` as JSON, or nothing for 204. */
export function sendJson(response: ServerResponse, status: number, body?: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (body === undefined) {
    response.end();
    return;
  }
  const text = JSON.stringify(body);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  // As text, because Node then writes headers and body in one piece.
  response.end(text);
}

/** Answers anything that was thrown as the error envelope; a server error is logged with its cause. */
export function sendError(exchange: Exchange, response: ServerResponse, thrown: unknown, now: Date): void {
  const error = asApiError(thrown);
  const status = ERROR_CATALOGUE[error.code].http;
  if (status >= FIRST_SERVER_ERROR && !response.destroyed) {
    exchange.log.error({ err: thrown, route: exchange.route, errorCode: error.code }, 'request failed');
  }
  if (error.code === 'UNAUTHORIZED' && !response.headersSent) {
    response.setHeader('www-authenticate', 'Bearer realm="Fairlead"');
  }
  sendJson(response, status, errorEnvelope(error, exchange.requestId, now));
}

/** What a caller may see of anything that was thrown: an ApiError as it is, a database that is away as UNAVAILABLE, else INTERNAL. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : fromConnectError(toConnectError(thrown));
}
