import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@fairlead/service-kit/clock';
import { REQUEST_ID_HEADER, createRequestContext } from '@fairlead/service-kit/context';
import type { Caller, RequestContext } from '@fairlead/service-kit/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/logger';

/** One request and its answer, as the edge sees them. */
export interface Exchange {
  readonly requestId: string;
  /** Writes the request id with each line. */
  readonly log: Logger;
  /** Template of the matched path; the path itself may hold a secret and is never logged. */
  route: string | undefined;
  accountId: string | undefined;
  userId: string | undefined;
  /** The context of everything that is done for this request, on behalf of `caller`. */
  contextFor(caller: Caller): RequestContext;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** What nginx logs for a client that went away before its answer. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Opens the exchange of a request: takes its x-request-id or makes one, puts it on the answer, writes one log line when
 * the answer is out, and aborts what is still running when the client goes away.
 */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  o: { readonly log: Logger; readonly clock: Clock; readonly timeoutMs: number },
): Exchange {
  const startedAt = performance.now();
  const given = request.headers[REQUEST_ID_HEADER];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7(o.clock.now());
  // Real time, because sockets run on it.
  const deadline = new Date(Date.now() + o.timeoutMs);
  const gone = new AbortController();
  const exchange: Exchange = {
    requestId,
    log: o.log.child({ requestId }),
    route: undefined,
    accountId: undefined,
    userId: undefined,
    contextFor: (caller) =>
      createRequestContext({ requestId, caller, signal: gone.signal, deadline, log: o.log }),
  };
  response.setHeader(REQUEST_ID_HEADER, requestId);
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
    exchange.log.info(
      {
        method: request.method,
        route: exchange.route,
        status: response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        accountId: exchange.accountId,
        userId: exchange.userId,
      },
      'request',
    );
  });
  return exchange;
}
