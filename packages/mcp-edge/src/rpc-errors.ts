import type { ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { beginError, sendJson } from '@fairlead/service-kit/http/reply';
import type { RpcId } from './posted.ts';

/** Codes of JSON-RPC 2.0, section 5.1; any other error has the first code that the section leaves to servers. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  MALFORMED_BODY: -32_700,
  VALIDATION_ERROR: -32_600,
  INTERNAL: -32_603,
};
const SERVER_ERROR = -32_000;
const NOT_ACCEPTABLE_STATUS = 406;

/** A client that does not accept the answers of the protocol, for which the catalogue of errors has no status. */
export class NotAcceptableError extends ApiError {
  constructor() {
    const issue = 'must accept application/json and text/event-stream';
    super('VALIDATION_ERROR', `The request is not valid. Accept: ${issue}`, {
      details: [{ field: 'Accept', issue }],
    });
  }
}

/** Sends anything that was thrown as a JSON-RPC error, with the HTTP status of its code. */
export function sendRpcError(exchange: Exchange, response: ServerResponse, thrown: unknown, id: RpcId): void {
  const begun = beginError(exchange, response, thrown);
  if (begun === undefined) return;
  const { error, status } = begun;
  const { code, message, details } = error;
  sendJson(response, error instanceof NotAcceptableError ? NOT_ACCEPTABLE_STATUS : status, {
    jsonrpc: '2.0',
    id,
    error: {
      code: RPC_CODES[code] ?? SERVER_ERROR,
      message,
      data: {
        errorCode: code,
        requestId: exchange.requestId,
        ...(details.length > 0 && { details: details.map(({ field, issue }) => ({ field, issue })) }),
      },
    },
  });
}
