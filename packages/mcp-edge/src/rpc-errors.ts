import type { ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { asApiError, beginError, sendJson } from '@fairlead/service-kit/http/reply';
import { noServer } from './client-admission.ts';
import { IdempotencyKeyError } from './idempotent-calls.ts';
import type { RpcId } from './posted.ts';
import { NoSessionError } from './streams/sessions.ts';

/** Error codes of JSON-RPC 2.0, section 5.1. Every other error has the first of the codes reserved for servers. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  MALFORMED_BODY: -32_700,
  VALIDATION_ERROR: -32_600,
  INTERNAL: -32_603,
};
const SERVER_ERROR = -32_000;
const NOT_ACCEPTABLE_STATUS = 406;
const RESPONSE_STATUS = 200;
const FIRST_SERVER_ERROR = 500;

/** The client does not accept the protocol's media types (406), for which the error catalogue has no status. */
export class NotAcceptableError extends ApiError {
  constructor(types = 'application/json and text/event-stream') {
    const issue = `must accept ${types}`;
    super('VALIDATION_ERROR', `The request is not valid. Accept: ${issue}`, {
      details: [{ field: 'Accept', issue }],
    });
  }
}

/** Sends a thrown error as a JSON-RPC error, with the HTTP status of its code. */
export function sendRpcError(exchange: Exchange, response: ServerResponse, thrown: unknown, id: RpcId): void {
  const replyStart = beginError(exchange, response, thrown);
  if (replyStart === undefined) return;
  const { error, status } = replyStart;
  const body = rpcErrorOf(error, exchange.requestId, id);
  sendJson(response, statusOf(error) ?? status, body);
}

/** The HTTP status of an error, if it differs from its code's status. */
function statusOf(error: ApiError): number | undefined {
  if (error instanceof NotAcceptableError) return NOT_ACCEPTABLE_STATUS;
  // The message is valid, so the error is its response, with status 200: clients do not read the body of a 409.
  return error instanceof IdempotencyKeyError ? RESPONSE_STATUS : undefined;
}

/** The JSON-RPC error for an error that was thrown after the response had begun. Server errors are logged. */
export function rpcErrorText(exchange: Exchange, thrown: unknown, id: RpcId): Buffer {
  const error = asApiError(thrown);
  const { code: errorCode } = error;
  if (ERROR_CATALOGUE[errorCode].http >= FIRST_SERVER_ERROR)
    exchange.log.error({ err: thrown, route: exchange.route, errorCode }, 'request failed');
  return Buffer.from(JSON.stringify(rpcErrorOf(error, exchange.requestId, id)));
}

/** A server that was deleted meanwhile is reported like one that never existed. */
export function sameNotFound(error: unknown): unknown {
  const isServerGone =
    error instanceof ApiError && error.code === 'NOT_FOUND' && !(error instanceof NoSessionError);
  return isServerGone ? noServer() : error;
}

function rpcErrorOf({ code, message, details }: ApiError, requestId: string, id: RpcId) {
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: RPC_CODES[code] ?? SERVER_ERROR,
      message,
      data: {
        errorCode: code,
        requestId,
        ...(details.length > 0 && { details: details.map(({ field, issue }) => ({ field, issue })) }),
      },
    },
  };
}
