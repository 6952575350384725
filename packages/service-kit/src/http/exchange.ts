import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '../clock.ts';
import type { Caller } from '../context/caller.ts';
import { REQUEST_ID_HEADER, createRequestContext } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { uuidv7 } from '../ids.ts';
import { lateChild } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Span } from '../telemetry/tracing.ts';
import { readWhole } from './read-whole.ts';
import type { LargeBodyRule } from './read-whole.ts';
import { settleRequest, startRequestSpan } from './request-telemetry.ts';

/** The start of a WWW-Authenticate header; the whole header for a page or mount without credentials. */
export const PLAIN_CHALLENGE = 'Bearer realm="Fairlead"';

/** A request and its response on a service's HTTP side. */
export interface Exchange {
  readonly requestId: string;
  /** Logger that adds the request id to each line. */
  readonly log: Logger;
  /** The request's span; undefined: not traced. */
  readonly span: Span | undefined;
  /** Template of the matched path. The path itself may contain a secret and is never logged. */
  route: string | undefined;
  accountId: string | undefined;
  userId: string | undefined;
  /** Names of the services whose canary serves the request; undefined: not chosen yet. */
  canaries: readonly string[] | undefined;
  /** Maximum bytes that `readBody` returns. 0 until the matched mount or path sets it. */
  maxBodyBytes: number;
  /** The WWW-Authenticate header of a 401. */
  challenge: string;
  /** The status for a failure after the first byte of the response. */
  brokenWith: number | undefined;
  /**
   * The context of all work for this request, on behalf of `caller`. An open-ended one also aborts when the time
   * limit passes, but sets no deadline for work after the start of the response.
   */
  contextFor(caller: Caller, o?: { readonly isOpenEnded: boolean }): RequestContext;
  /** From now on, the work continues to its end or deadline, even if the client disconnects. */
  outliveClient(): void;
  /**
   * Reads the body; undefined above `maxBodyBytes`, or above `atMost` if that is less. Do not read the request
   * directly, which has no limit. A body above `large.bytes` waits for `large.admit` before it is read.
   */
  readBody(o?: { readonly atMost?: number; readonly large?: LargeBodyRule }): Promise<Buffer | undefined>;
  /**
   * Runs the work within `timeoutMs` of the request's arrival. After that, it throws TIMEOUT, even if the work does
   * not react, and aborts the contexts.
   */
  within<T>(timeoutMs: number, work: () => Promise<T> | T): Promise<T>;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The status that nginx logs for a client that disconnected before its response. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Opens a request's exchange: takes its x-request-id or creates one, sets it on the response, writes one log line
 * when the response is sent, and aborts remaining work when the client disconnects.
 */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  o: { readonly log: Logger; readonly clock: Clock },
): Exchange {
  const startedAt = performance.now();
  const header = request.headers[REQUEST_ID_HEADER];
  const requestId = typeof header === 'string' && REQUEST_ID.test(header) ? header : uuidv7(o.clock.now());
  let deadline: Date | undefined;
  let outlivesClient = false;
  const gone = new AbortController();
  const exchange: Exchange = {
    requestId,
    log: lateChild(o.log, { requestId }),
    span: startRequestSpan(request),
    route: undefined,
    accountId: undefined,
    userId: undefined,
    canaries: undefined,
    maxBodyBytes: 0,
    challenge: PLAIN_CHALLENGE,
    brokenWith: undefined,
    contextFor: (caller, { isOpenEnded } = { isOpenEnded: false }) =>
      createRequestContext({
        requestId,
        caller,
        signal: gone.signal,
        deadline: isOpenEnded ? undefined : deadline,
        log: o.log,
        canaries: exchange.canaries,
      }),
    outliveClient() {
      outlivesClient = true;
    },
    readBody: ({ atMost = exchange.maxBodyBytes, large } = {}) =>
      readWhole(request, {
        maxBytes: Math.min(atMost, exchange.maxBodyBytes),
        signal: gone.signal,
        large,
      }),
    async within(timeoutMs, work) {
      const leftMs = timeoutMs - (performance.now() - startedAt);
      // Real time, because sockets use it.
      deadline = new Date(Date.now() + leftMs);
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        late.reject(new ApiError('TIMEOUT', 'The request took too long.'));
        gone.abort();
      }, leftMs);
      try {
        return await Promise.race([work(), late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
  response.setHeader(REQUEST_ID_HEADER, requestId);
  response.once('close', () => {
    if (!response.writableFinished && !outlivesClient) gone.abort();
    const { route, accountId, userId, span } = exchange;
    const method = request.method ?? '';
    const status = response.writableFinished
      ? response.statusCode
      : (exchange.brokenWith ?? CLIENT_CLOSED_REQUEST);
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const traceId = span?.traceId;
    o.log.info({ requestId, method, route, status, durationMs, accountId, userId, traceId }, 'request');
    settleRequest({ method, route, status, durationMs, requestId, accountId }, span);
  });
  return exchange;
}
