import type { ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import { JsonBytes, JsonText } from '../json/json-text.ts';
import { fromConnectError, toConnectError } from '../rpc/errors.ts';
import { errorEnvelope } from './envelope.ts';
import type { Exchange } from './exchange.ts';

const FIRST_SERVER_ERROR = 500;
/** To decode so many bytes and write them with the rest costs less than a piece of their own. */
const MAX_DECODED_BYTES = 32 * 1024;

/** Sends `body` as JSON, or nothing for 204. Its members may be JsonText and JsonBytes. */
export function sendJson(response: ServerResponse, status: number, body?: unknown): void {
  const pieces = piecesOf(body);
  const isLarge = pieces.some((piece) => typeof piece !== 'string' && piece.bytes.length > MAX_DECODED_BYTES);
  if (isLarge) sendPieces(response, status, pieces);
  else sendText(response, status, joined(pieces));
}

/** What sendJson would send of `body`; empty: no content. */
export function textOf(body: unknown): string {
  return joined(piecesOf(body));
}

function joined(pieces: readonly (string | JsonBytes)[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
}

function piecesOf(body: unknown): readonly (string | JsonBytes)[] {
  if (body === undefined) return [];
  if (typeof body !== 'object' || body === null || !Object.values(body).some(isPassedOn))
    return [JSON.stringify(body)];
  const pieces: (string | JsonBytes)[] = [];
  for (const [name, member] of Object.entries(body)) {
    const value = member instanceof JsonBytes ? member : passedText(member);
    if (value !== undefined) pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`, value);
  }
  return [...pieces, '}'];
}

function isPassedOn(value: unknown): boolean {
  return value instanceof JsonText || value instanceof JsonBytes;
}

function passedText(member: unknown): string | undefined {
  return member instanceof JsonText ? member.text : JSON.stringify(member);
}

/** As sendText, without decoding what is bytes. */
function sendPieces(response: ServerResponse, status: number, pieces: readonly (string | JsonBytes)[]): void {
  if (response.headersSent || response.destroyed) return;
  startJson(response, status);
  const chunks = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece.bytes));
  response.setHeader(
    'content-length',
    chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  );
  response.cork();
  for (const chunk of chunks) response.write(chunk);
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

/** Sets status and headers of a JSON response whose text follows. */
export function startJson(response: ServerResponse, status: number, hasContent = true): void {
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (hasContent) response.setHeader('content-type', 'application/json; charset=utf-8');
}

/**
 * Sends anything that was thrown as the error envelope; a server error is logged with its cause. If the response has
 * already begun, its connection is cut, so that the client does not mistake a part for the whole.
 */
export function sendError(exchange: Exchange, response: ServerResponse, thrown: unknown, now: Date): void {
  const error = asApiError(thrown);
  const status = ERROR_CATALOGUE[error.code].http;
  if (status >= FIRST_SERVER_ERROR && !response.destroyed) {
    exchange.log.error({ err: thrown, route: exchange.route, errorCode: error.code }, 'request failed');
  }
  if (response.headersSent) {
    if (response.writableEnded || response.destroyed) return;
    exchange.brokenWith = status;
    response.destroy();
    return;
  }
  if (error.code === 'UNAUTHORIZED') response.setHeader('www-authenticate', exchange.challenge);
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', error.retryAfterSeconds);
  sendJson(response, status, errorEnvelope(error, exchange.requestId, now));
}

/** What a caller may see of anything that was thrown: an ApiError unchanged, an unreachable database as UNAVAILABLE, else INTERNAL. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : fromConnectError(toConnectError(thrown));
}
