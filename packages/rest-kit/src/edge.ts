import { createHttpApp, methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { HttpHandler, HttpPath, Mount, Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { AccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Express } from 'express';
import type { Principal } from '@fairlead/access/principal';
import { API_METADATA_PATH } from '@fairlead/access/well-known';
import { createAdmission } from './admission.ts';
import type { AdmissionOptions, Admit } from './admission.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { createChallenges } from './challenge.ts';
import type { InProgress } from './in-progress.ts';
import { createOperation } from './operation.ts';
import type { Operation, OperationOptions } from './operation.ts';
import type { Access, Route } from './route.ts';
import { createUnknownRoute } from './unknown-route.ts';

/** The dependencies of the edge. `V`: the services that its routes call. */
export interface EdgeOptions<V extends object>
  extends Omit<AdmissionOptions, 'challenges'>, Omit<OperationOptions<V>, 'challenges'> {
  readonly routes: readonly Route<V>[];
  readonly pages: readonly Page[];
  readonly mounts: readonly Mount[];
  readonly inProgress: InProgress;
  readonly accountCpu: AccountCpu;
  /** The public base address, without a trailing slash. */
  readonly publicUrl: string;
  /** The path of the API reference, which the 404 error names. */
  readonly documentPath: string;
  readonly log: Logger;
  /** Time limit of pages, and of routes that call an application. */
  readonly timeoutMs: number;
}

/**
 * Creates the HTTP edge. Each response has x-request-id, and each error the error envelope. The checks run in the
 * contract's order: unknown route 404, credential 401, requests in progress and budgets 429, method 405, then those
 * of the operation (rows completion.everywhere.18 and 19).
 */
export function createEdgeApp<V extends object>(o: EdgeOptions<V>): Express {
  const challenges = createChallenges(o.publicUrl + API_METADATA_PATH);
  const admit = createAdmission({ ...o, challenges });
  const paths = byPath(o.routes).map(([path, routes]): HttpPath => {
    const operations = routes.map((route) => createOperation(route, { ...o, challenges }));
    return {
      path,
      maxBodyBytes: MAX_BODY_BYTES,
      handle: pathHandler(operations, admit, o),
    };
  });
  const unknownRoute = createUnknownRoute(o.routes, o.documentPath);
  return createHttpApp({ ...o, paths, unknownRoute, pageTimeoutMs: o.timeoutMs });
}

function pathHandler(
  operations: readonly Operation[],
  admit: Admit,
  { inProgress, dataTimeoutMs }: Pick<EdgeOptions<object>, 'inProgress' | 'dataTimeoutMs'>,
): HttpHandler {
  const byMethod = new Map(operations.map((operation) => [operation.route.method.toUpperCase(), operation]));
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  const allowed = [...byMethod.keys(), 'OPTIONS'];
  const otherwise = { auth: strictest(operations.map(({ route }) => route.auth)), budget: 'call' } as const;
  return async (exchange, request, response) => {
    const operation = byMethod.get(request.method);
    const timeoutMs = operation?.timeoutOf(request) ?? dataTimeoutMs;
    const visit = inProgress.visit();
    const admitRequest = () => admit(exchange, request, response, operation?.route ?? otherwise, visit);
    const answer = (principal: Principal | undefined) => {
      if (operation !== undefined) return operation.run(exchange, principal, request, response);
      if (request.method !== 'OPTIONS') throw methodNotAllowed(response, allowed);
      sendJson(response.setHeader('allow', allowed.join(', ')), 204);
      return undefined;
    };
    try {
      const rest =
        timeoutMs > dataTimeoutMs
          ? // Looking up credentials and budgets uses the data timeout, whatever the operation's own timeout is.
            await exchange
              .within(dataTimeoutMs, admitRequest)
              .then((principal) => exchange.within(timeoutMs, () => answer(principal)))
          : await exchange.within(timeoutMs, async () => answer(await admitRequest()));
      await rest?.();
    } finally {
      visit.leave();
    }
  };
}

/** The access that is needed to learn a path's methods: that of its first route that is not anonymous. */
function strictest(accesses: readonly Access[]): Access {
  return accesses.find((access) => access !== 'anonymous') ?? 'anonymous';
}

/** The routes of each path. Literal segments come before parameters, so `/connections/get-sign-in-url` is not taken for an id. */
function byPath<V extends object>(
  routes: readonly Route<V>[],
): readonly (readonly [string, readonly Route<V>[]])[] {
  const groups = Map.groupBy(routes, (route) => route.path);
  const shapes = new Set([...groups.keys()].map((path) => path.replaceAll(/\{\w+\}/g, '{}')));
  if (shapes.size !== groups.size) throw new Error('Two paths differ only in the names of their parameters.');
  for (const [path, group] of groups) {
    if (new Set(group.map((route) => route.method)).size === group.length) continue;
    throw new Error(`${path} has two routes for one method.`);
  }
  // "{" sorts after every letter, digit and hyphen.
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
