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

/** The start of a WWW-Authenticate header, and all of it for a page or mount without credentials. */
export const PLAIN_CHALLENGE = 'Bearer realm="Fairlead"';

/** One request and its response on the HTTP side of a service. */
export interface Exchange {
  readonly requestId: string;
  /** Writes the request id with each line. */
  readonly log: Logger;
  /** Undefined if nothing is traced. */
  readonly span: Span | undefined;
  /** Template of the matched path; the path itself may hold a secret and is never logged. */
  route: string | undefined;
  accountId: string | undefined;
  userId: string | undefined;
  /** Names of the services whose canary serves the request; undefined: nobody has chosen yet. */
  canaries: readonly string[] | undefined;
  /** Most bytes that `readBody` returns. 0 until the mount or path that takes the request sets it. */
  maxBodyBytes: number;
  /** The WWW-Authenticate header of a 401. */
  challenge: string;
  /** The status of a failure that came too late for a response, after the first byte. */
  brokenWith: number | undefined;
  /**
   * The context of all work for this request, on behalf of `caller`. An open-ended one also aborts when the work is late,
   * but sets no deadline for what follows the start of the response.
   */
  contextFor(caller: Caller, o?: { readonly isOpenEnded: boolean }): RequestContext;
  /** From now on the work is not only for this client: it continues to its end or deadline if the client disconnects. */
  outliveClient(): void;
  /**
   * The body as it was sent; undefined above `maxBodyBytes`, or above `atMost` if that is less. The only way to read it:
   * reading the request directly has no limit. A body above `large.bytes` waits for `large.admit` before it is read.
   */
  readBody(o?: { readonly atMost?: number; readonly large?: LargeBodyRule }): Promise<Buffer | undefined>;
  /**
   * Runs the work within `timeoutMs` of the request's arrival: after that it throws TIMEOUT, whatever the work waits for,
   * and aborts the contexts.
   */
  within<T>(timeoutMs: number, work: () => Promise<T> | T): Promise<T>;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The status that nginx logs for a client that disconnected before its response. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Opens the exchange of a request: takes its x-request-id or creates one, sets it on the response, writes one log line
 * when the response is sent, and aborts what is still running when the client disconnects.
 */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  o: { readonly log: Logger; readonly clock: Clock },
): Exchange {
  const startedAt = performance.now();
  const given = request.headers[REQUEST_ID_HEADER];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7(o.clock.now());
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
