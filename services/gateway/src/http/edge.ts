import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/logger';
import { inSpan } from '@fairlead/service-kit/tracing';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Authenticate } from '../identity/use-cases/authenticate.ts';
import type { Services } from '../services.ts';
import { openExchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { createOperation } from './operation.ts';
import type { Operation } from './operation.ts';
import { sendError, sendJson } from './reply.ts';
import type { Route } from './route.ts';

/** An address for browsers and orchestrators, outside the API. It answers GET only. */
export interface Page {
  readonly path: `/${string}`;
  /** Whether HEAD is harmless; a page that uses something up refuses it. */
  readonly isSafe: boolean;
  readonly show: (exchange: Exchange, request: Request, response: Response) => Promise<void> | void;
}

/** What the edge is made of. */
export interface EdgeOptions {
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
  readonly services: Services;
  readonly authenticate: Authenticate;
  readonly log: Logger;
  readonly clock: Clock;
  /** Longest time that a page, or a route that calls an application, may take. */
  readonly timeoutMs: number;
  /** Longest time that any other route may take. */
  readonly dataTimeoutMs: number;
  /** Whether an answer that its route does not declare becomes INTERNAL; otherwise it is only logged. */
  readonly isStrict: boolean;
}

type Handler = (exchange: Exchange, request: Request, response: Response) => Promise<void> | void;

/**
 * The HTTP edge. Each answer carries x-request-id and each refusal the error envelope, checked in the contract's order:
 * unmatched route 404, credential 401, method 405, then what the operation checks (completion.md "Everywhere").
 */
export function createEdge(o: EdgeOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Parameters are read from the raw query string, where one given twice still shows.
  app.set('query parser', false);

  const exchanges = new WeakMap<Request, Exchange>();
  const run = (handler: Handler) => async (request: Request, response: Response) => {
    const exchange = exchangeOf(exchanges, request);
    try {
      await handler(exchange, request, response);
    } catch (error) {
      sendError(exchange, response, error, o.clock.now());
    }
  };

  app.use((request, response, next) => {
    const exchange = openExchange(request, response, o);
    exchanges.set(request, exchange);
    inSpan(exchange.span, next);
  });
  for (const page of o.pages) app.all(expressPath(page.path), run(pageHandler(page, o.timeoutMs)));
  for (const [path, routes] of byPath(o.routes))
    app.all(expressPath(path), run(pathHandler(path, routes, o)));
  app.use(
    run(() => {
      throw notFound('route');
    }),
  );
  // Express comes here for a path that it cannot decode; such a path is no route.
  app.use((_error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(exchangeOf(exchanges, request), response, notFound('route'), o.clock.now());
  });
  return app;
}

function exchangeOf(exchanges: WeakMap<Request, Exchange>, request: Request): Exchange {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('The request has no exchange.');
  return exchange;
}

function pageHandler(page: Page, timeoutMs: number): Handler {
  const allowed = page.isSafe ? ['GET', 'HEAD'] : ['GET'];
  return async (exchange, request, response) => {
    exchange.route = page.path;
    if (!allowed.includes(request.method)) throw methodNotAllowed(response, allowed);
    await exchange.within(timeoutMs, () => page.show(exchange, request, response));
  };
}

function pathHandler(path: string, routes: readonly Route[], o: EdgeOptions): Handler {
  const operations = new Map<string, Operation>(
    routes.map((route) => [route.method.toUpperCase(), createOperation(route, o)]),
  );
  const get = operations.get('GET');
  if (get !== undefined) operations.set('HEAD', get);
  const allowed = [...operations.keys(), 'OPTIONS'];
  const isOpen = routes.every((route) => route.auth === 'anonymous');
  return async (exchange, request, response) => {
    exchange.route = path;
    const operation = operations.get(request.method);
    const needsCredential = operation === undefined ? !isOpen : operation.needsCredential;
    await exchange.within(operation?.callsApplication === true ? o.timeoutMs : o.dataTimeoutMs, async () => {
      const principal = needsCredential ? await o.authenticate(request.headers) : undefined;
      exchange.accountId = principal?.accountId;
      exchange.userId = principal?.userId;
      if (operation !== undefined) await operation.run(exchange, principal, request, response);
      else if (request.method === 'OPTIONS') sendJson(response.setHeader('allow', allowed.join(', ')), 204);
      else throw methodNotAllowed(response, allowed);
    });
  };
}

function methodNotAllowed(response: Response, allowed: readonly string[]): ApiError {
  response.setHeader('allow', allowed.join(', '));
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers ${allowed.join(', ')}.`);
}

/** The routes of each path, literal segments before parameters so that `/connections/get-sign-in-url` is no id. */
function byPath(routes: readonly Route[]): readonly (readonly [string, readonly Route[]])[] {
  const groups = Map.groupBy(routes, (route) => route.path);
  const shapes = new Set([...groups.keys()].map((path) => path.replaceAll(/\{\w+\}/g, '{}')));
  if (shapes.size !== groups.size) throw new Error('Two paths differ in the names of their parameters only.');
  for (const [path, group] of groups) {
    if (new Set(group.map((route) => route.method)).size === group.length) continue;
    throw new Error(`${path} has two routes of one method.`);
  }
  // "{" comes after every letter, digit and hyphen.
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
