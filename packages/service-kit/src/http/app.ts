import { ApiError, notFound } from '@fairlead/errors/api-error';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { createRequestProperty } from '../collections/request-property.ts';
import type { RequestProperty } from '../collections/request-property.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { allowAnyOrigin, answerPreflight } from './cross-origin.ts';
import { isFromBrowser } from './browser-request.ts';
import { openExchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { MAX_FORM_BYTES } from './form.ts';
import { createDiscard } from './discard.ts';
import { sendRendered } from '@fairlead/pages/html';
import { NOT_FOUND_PAGE } from '@fairlead/pages/not-found-page';
import { sendError } from './reply.ts';

/** Handles a request. Errors that it throws become the error envelope. */
export type HttpHandler = (exchange: Exchange, request: Request, response: Response) => Promise<void> | void;

/** A page for browsers and orchestrators. It supports GET, and POST only for its own form. */
export interface Page {
  /** The path in OpenAPI's notation: `/connect/start/{state}`. */
  readonly path: `/${string}`;
  /** Whether HEAD is harmless. Pages that consume something must refuse it. */
  readonly isSafe: boolean;
  /** Whether scripts of other sites may read it; OPTIONS then handles their CORS preflight. Default: no. */
  readonly isCrossOrigin?: boolean;
  /** Answers OPTIONS (the CORS preflight) of a page that decides itself which sites may read it. Absent: none may. */
  readonly preflight?: HttpHandler;
  /** Whether another service serves it: `show` then gets all methods, and that service handles CORS. Default: no. */
  readonly isProxied?: boolean;
  /** For a page that exists only for some requests: whether this request is one of them. Otherwise the path counts as unknown. */
  readonly isFor?: (request: Request) => boolean;
  readonly show: HttpHandler;
  /** Handles the form that the page posts to its own URL; `readBody` returns at most MAX_FORM_BYTES. Absent: no form. */
  readonly submit?: HttpHandler;
}

/** A handler for all paths below a prefix, with all methods. */
export interface Mount {
  readonly prefix: `/${string}`;
  /** Time limit of the response; then 504 TIMEOUT. */
  readonly timeoutMs: number;
  /** Maximum bytes that `exchange.readBody` returns. */
  readonly maxBodyBytes: number;
  /** Handles the request, whose `url` lacks the prefix. `exchange.route` is `<prefix>/…` until it is set more precisely. */
  readonly handle: HttpHandler;
}

/** A path that is neither a page nor below a mount. Its handler sets the deadline with `exchange.within`. */
export interface HttpPath {
  /**
   * The path in OpenAPI's notation: `/v1/items/{itemId}`. Earlier paths in the list win; paths without a parameter in
   * their first two segments win over those with one.
   */
  readonly path: string;
  /** Maximum bytes that `exchange.readBody` returns. */
  readonly maxBodyBytes: number;
  readonly handle: HttpHandler;
}

export interface HttpAppOptions {
  /** Called before a request is matched; refuses it by throwing. Default: every request is admitted. */
  readonly admit?: (exchange: Exchange, request: Request, response: Response) => void;
  readonly pages: readonly Page[];
  /** Time limit of pages. */
  readonly pageTimeoutMs: number;
  readonly mounts: readonly Mount[];
  readonly paths: readonly HttpPath[];
  /** The error for an unknown path. Default: NOT_FOUND with that message. */
  readonly unknownRoute?: (request: Request) => ApiError;
  readonly log: Logger;
  readonly clock: Clock;
}

/**
 * The HTTP side of a service. Each response has x-request-id, each error is an envelope, and each request causes one
 * log line, one metric and, if traced, one span. An unknown path is 404; browsers get a page.
 */
export function createHttpApp(o: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Parameters are read from the raw query string, in which duplicates are still visible.
  app.set('query parser', false);

  const exchanges = createRequestProperty<Request, Exchange>('exchange');
  const discard = createDiscard();
  const run = (handler: HttpHandler) => async (request: Request, response: Response) => {
    const exchange = exchangeOf(exchanges, request);
    try {
      await handler(exchange, request, response);
    } catch (error) {
      sendError(exchange, response, error, o.clock.now());
    }
  };

  app.use((request, response, next) => {
    const exchange = openExchange(request, response, o);
    discard.prepare(request, response);
    exchanges.set(request, exchange);
    try {
      o.admit?.(exchange, request, response);
    } catch (error) {
      sendError(exchange, response, error, o.clock.now());
      return;
    }
    inSpan(exchange.span, next);
  });
  for (const page of o.pages) app.all(expressPath(page.path), run(pageHandler(page, o.pageTimeoutMs)));
  for (const mount of o.mounts) app.use(mount.prefix, run(mountHandler(mount)));
  // Express tries its paths one after the other, so it only gets those with the request's first segments.
  const routers = new Map<string, express.Router>();
  const others: HttpPath[] = [];
  for (const path of o.paths) {
    const beginning = beginningOf(path.path);
    if (beginning.includes('{')) {
      others.push(path);
      continue;
    }
    const router = routers.get(beginning) ?? express.Router({ caseSensitive: true, strict: true });
    routers.set(beginning, router);
    router.all(expressPath(path.path), run(pathHandler(path)));
  }
  app.use((request, response, next) => {
    const router = routers.get(beginningOf(request.path));
    if (router === undefined) next();
    else router(request, response, next);
  });
  for (const path of others) app.all(expressPath(path.path), run(pathHandler(path)));
  const unmatched = unmatchedHandler(o.unknownRoute);
  app.use(run(unmatched));
  // Express reports paths here that it cannot decode; they count as unknown.
  app.use((_error: unknown, request: Request, response: Response, _next: NextFunction) =>
    run(unmatched)(request, response),
  );
  return app;
}

/** Sets the Allow header and returns METHOD_NOT_ALLOWED. */
export function methodNotAllowed(response: Response, allowed: readonly string[]): ApiError {
  response.setHeader('allow', allowed.join(', '));
  return new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed.join(', ')}.`);
}

function exchangeOf(exchanges: RequestProperty<Request, Exchange>, request: Request): Exchange {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('The request has no exchange.');
  return exchange;
}

function unmatchedHandler(
  unknownRoute: (request: Request) => ApiError = () => notFound('route'),
): HttpHandler {
  return (_exchange, request, response) => {
    if (!isFromBrowser(request)) throw unknownRoute(request);
    sendRendered(response, NOT_FOUND_PAGE);
  };
}

function pageHandler(page: Page, timeoutMs: number): HttpHandler {
  const isCrossOrigin = page.isCrossOrigin ?? false;
  const { submit, preflight } = page;
  const allowed = [
    'GET',
    ...(page.isSafe ? ['HEAD'] : []),
    ...(submit === undefined ? [] : ['POST']),
    ...(isCrossOrigin || preflight !== undefined ? ['OPTIONS'] : []),
  ];
  return async (exchange, request, response) => {
    if (page.isFor?.(request) === false) return unmatchedHandler()(exchange, request, response);
    exchange.route = page.path;
    const show = (): Promise<void> =>
      exchange.within(timeoutMs, () => page.show(exchange, request, response));
    if (page.isProxied === true) return show();
    if (isCrossOrigin) allowAnyOrigin(response);
    if (!allowed.includes(request.method)) throw methodNotAllowed(response, allowed);
    if (request.method === 'OPTIONS' && preflight !== undefined)
      await exchange.within(timeoutMs, () => preflight(exchange, request, response));
    else if (request.method === 'OPTIONS') answerPreflight(response, allowed);
    else if (request.method === 'POST' && submit !== undefined) {
      exchange.maxBodyBytes = MAX_FORM_BYTES;
      await exchange.within(timeoutMs, () => submit(exchange, request, response));
    } else await show();
  };
}

function mountHandler(mount: Mount): HttpHandler {
  return async (exchange, request, response) => {
    exchange.route = `${mount.prefix}/…`;
    exchange.maxBodyBytes = mount.maxBodyBytes;
    await exchange.within(mount.timeoutMs, () => mount.handle(exchange, request, response));
  };
}

function pathHandler({ path, maxBodyBytes, handle }: HttpPath): HttpHandler {
  return (exchange, request, response) => {
    exchange.route = path;
    exchange.maxBodyBytes = maxBodyBytes;
    return handle(exchange, request, response);
  };
}

/** The first two segments of a path or URL. */
function beginningOf(path: string): string {
  const [beginning = ''] = /^\/[^/?]*(?:\/[^/?]*)?/.exec(path) ?? [];
  return beginning;
}

function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
