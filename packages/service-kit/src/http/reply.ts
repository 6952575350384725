import type { ServerResponse } from 'node:http';
import { joinSmall, lengthOf } from '@fairlead/connect-fast/message-codec';
import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import { jsonPieces, jsonText } from '../json/lazy-json.ts';
import { fromConnectError, toConnectError } from '../rpc/errors.ts';
import { errorEnvelope } from './envelope.ts';
import type { Exchange } from './exchange.ts';

const FIRST_SERVER_ERROR = 500;
/** Maximum bytes that are decoded to text. Node writes headers and text in one piece, but decoding more costs too much. */
const MAX_TEXT_BYTES = 32 * 1024;

/** Sends `body` as JSON, or nothing for 204. A LazyJson in it is sent as its bytes. */
export function sendJson(response: ServerResponse, status: number, body?: unknown): void {
  sendPieces(response, status, body === undefined ? '' : jsonPieces(body));
}

/** Sends the result of jsonPieces; empty: no content. */
export function sendPieces(
  response: ServerResponse,
  status: number,
  pieces: string | readonly Uint8Array[],
): void {
  if (typeof pieces !== 'string' && lengthOf(pieces) > MAX_TEXT_BYTES)
    writePieces(response, status, joinSmall(pieces));
  else sendText(response, status, typeof pieces === 'string' ? pieces : Buffer.concat(pieces).toString());
}

/** The text that sendJson sends for `body`; empty: no content. */
export function textOf(body: unknown): string {
  return body === undefined ? '' : jsonText(body);
}

function writePieces(response: ServerResponse, status: number, pieces: readonly Uint8Array[]): void {
  if (response.headersSent || response.destroyed) return;
  startJson(response, status);
  response.setHeader('content-length', lengthOf(pieces));
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}

/**
 * Redirects the browser to another URL, which it fetches with GET, even after a form. The current URL is not cached
 * and not sent as the referrer.
 */
export function sendRedirect(response: ServerResponse, location: string): void {
  response.statusCode = 303;
  response.setHeader('location', location);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.end();
}

/** Sends a JSON text unchanged, or nothing if it is empty. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  startJson(response, status, text !== '');
  if (text === '') {
    response.end();
    return;
  }
  response.setHeader('content-length', Buffer.byteLength(text));
  // As text, because Node then writes headers and body in one piece.
  response.end(text);
}

/** Sets status and headers of a JSON response, before its text. */
export function startJson(response: ServerResponse, status: number, hasContent = true): void {
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (hasContent) response.setHeader('content-type', 'application/json; charset=utf-8');
}

/** Sends any thrown error as the error envelope, like beginError. */
export function sendError(exchange: Exchange, response: ServerResponse, thrown: unknown, now: Date): void {
  const error = beginError(exchange, response, thrown);
  if (error === undefined) return;
  sendJson(response, error.status, errorEnvelope(error.error, exchange.requestId, now));
}

/**
 * Begins the response to any thrown error: sets its headers, and logs a server error with its cause. Returns the
 * error for the caller; undefined if the response has already begun: its connection is then cut, so that the client
 * does not take a part for the whole.
 */
export function beginError(
  exchange: Exchange,
  response: ServerResponse,
  thrown: unknown,
): { readonly error: ApiError; readonly status: number } | undefined {
  const error = asApiError(thrown);
  const status = ERROR_CATALOGUE[error.code].http;
  if (status >= FIRST_SERVER_ERROR && !response.destroyed) {
    exchange.log.error({ err: thrown, route: exchange.route, errorCode: error.code }, 'request failed');
  }
  if (response.headersSent) {
    if (response.writableEnded || response.destroyed) return undefined;
    exchange.brokenWith = status;
    response.destroy();
    return undefined;
  }
  if (error.code === 'UNAUTHORIZED') response.setHeader('www-authenticate', exchange.challenge);
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', error.retryAfterSeconds);
  return { error, status };
}

/** The error that the caller sees: an ApiError unchanged, an unreachable database as UNAVAILABLE, else INTERNAL. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : fromConnectError(toConnectError(thrown));
}
