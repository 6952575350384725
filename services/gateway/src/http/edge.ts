import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { inSpan } from '@fairlead/service-kit/telemetry/tracing';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Authenticate } from '../identity/use-cases/authenticate.ts';
import type { Limits } from '../limits/limits.ts';
import { createAdmission } from './admission.ts';
import type { Admit } from './admission.ts';
import { createChallenges } from './challenge.ts';
import { allowAnyOrigin, answerPreflight } from './cross-origin.ts';
import { openExchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { createOperation } from './operation.ts';
import type { Operation } from './operation.ts';
import { sendError, sendJson } from './reply.ts';
import type { Access, Route } from './route.ts';

/** An address for browsers and orchestrators, outside the API. It answers GET only. */
export interface Page {
  readonly path: `/${string}`;
  /** Whether HEAD is harmless; a page that uses something up refuses it. */
  readonly isSafe: boolean;
  /** Whether scripts of other sites may read it; then OPTIONS answers their browsers' question. Default no. */
  readonly isCrossOrigin?: boolean;
  readonly show: (exchange: Exchange, request: Request, response: Response) => Promise<void> | void;
}

/** A handler of its own for every address below a prefix, outside the API: any method, the body unread. */
export interface Mount {
  readonly prefix: `/${string}`;
  /** Answers the request, whose `url` lacks the prefix. `exchange.route` is `<prefix>/…` until it is set more precisely. */
  readonly handle: (exchange: Exchange, request: Request, response: Response) => Promise<void>;
}

/** What the edge is made of. `V`: the services that its routes call. */
export interface EdgeOptions<V extends object> {
  readonly routes: readonly Route<V>[];
  readonly pages: readonly Page[];
  readonly mounts: readonly Mount[];
  readonly services: V;
  readonly authenticate: Authenticate;
  /** Whether these headers carry the key of the platform's operator. */
  readonly isOperator: (headers: IncomingHttpHeaders) => boolean;
  readonly limits: Limits;
  /** Told of each call with a credential that its budgets let through. */
  readonly countCall: (accountId: string) => void;
  readonly idempotency: Idempotency;
  readonly audit: AuditLog;
  /** Base address as clients see it, without a slash at its end. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Longest time that a page, a mount, or a route that calls an application, may take. */
  readonly timeoutMs: number;
  /** Longest time that any other route may take. */
  readonly dataTimeoutMs: number;
  /** Whether an answer that its route does not declare becomes INTERNAL; otherwise it is only logged. */
  readonly isStrict: boolean;
}

type Handler = (exchange: Exchange, request: Request, response: Response) => Promise<void> | void;

/**
 * The HTTP edge. Each answer carries x-request-id and each refusal the error envelope, checked in the contract's order:
 * unmatched route 404, credential 401, budgets 429, method 405, then what the operation checks (completion.md
 * "Everywhere").
 */
export function createEdge<V extends object>(o: EdgeOptions<V>): Express {
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
  for (const mount of o.mounts) app.use(mount.prefix, run(mountHandler(mount, o.timeoutMs)));
  const challenges = createChallenges(o.publicUrl);
  const admit = createAdmission({ ...o, challenges });
  for (const [path, routes] of byPath(o.routes)) {
    const operations = routes.map((route) => createOperation(route, { ...o, challenges }));
    app.all(expressPath(path), run(pathHandler(path, operations, admit, o.dataTimeoutMs)));
  }
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
  const isCrossOrigin = page.isCrossOrigin ?? false;
  const allowed = ['GET', ...(page.isSafe ? ['HEAD'] : []), ...(isCrossOrigin ? ['OPTIONS'] : [])];
  return async (exchange, request, response) => {
    exchange.route = page.path;
    if (isCrossOrigin) allowAnyOrigin(response);
    if (!allowed.includes(request.method)) throw methodNotAllowed(response, allowed);
    if (request.method === 'OPTIONS') answerPreflight(response, allowed);
    else await exchange.within(timeoutMs, () => page.show(exchange, request, response));
  };
}

function mountHandler(mount: Mount, timeoutMs: number): Handler {
  return async (exchange, request, response) => {
    exchange.route = `${mount.prefix}/…`;
    await exchange.within(timeoutMs, () => mount.handle(exchange, request, response));
  };
}

function pathHandler(
  path: string,
  operations: readonly Operation[],
  admit: Admit,
  otherTimeoutMs: number,
): Handler {
  const byMethod = new Map(operations.map((operation) => [operation.route.method.toUpperCase(), operation]));
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  const allowed = [...byMethod.keys(), 'OPTIONS'];
  const otherwise = { auth: strictest(operations.map(({ route }) => route.auth)), budget: 'call' } as const;
  return async (exchange, request, response) => {
    exchange.route = path;
    const operation = byMethod.get(request.method);
    const rest = await exchange.within(operation?.timeoutMs ?? otherTimeoutMs, async () => {
      const principal = await admit(exchange, request, response, operation?.route ?? otherwise);
      if (operation !== undefined) return operation.run(exchange, principal, request, response);
      if (request.method !== 'OPTIONS') throw methodNotAllowed(response, allowed);
      sendJson(response.setHeader('allow', allowed.join(', ')), 204);
      return undefined;
    });
    await rest?.();
  };
}

/** Who may learn which methods a path has: whoever may call one that is not for anyone. */
function strictest(accesses: readonly Access[]): Access {
  return accesses.find((access) => access !== 'anonymous') ?? 'anonymous';
}

function methodNotAllowed(response: Response, allowed: readonly string[]): ApiError {
  response.setHeader('allow', allowed.join(', '));
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers ${allowed.join(', ')}.`);
}

/** The routes of each path, literal segments before parameters so that `/connections/get-sign-in-url` is no id. */
function byPath<V extends object>(
  routes: readonly Route<V>[],
): readonly (readonly [string, readonly Route<V>[]])[] {
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
