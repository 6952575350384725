import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Caller } from '@fairlead/service-kit/context';
import type { Request, Response } from 'express';
import { isAllowed } from '../identity/domain/permissions.ts';
import type { Principal } from '../identity/domain/principal.ts';
import type { Services } from '../services.ts';
import { parseBody, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { parseInput, refusalOf } from './issues.ts';
import type { Finding } from './issues.ts';
import { listEnvelope, pageOf } from './list.ts';
import { readParams, readQuery } from './parameters.ts';
import { asApiError, sendJson } from './reply.ts';
import type { ParsedCall, Route } from './route.ts';

/** A route that can be run. */
export interface Operation {
  readonly needsCredential: boolean;
  readonly callsApplication: boolean;
  /** Answers the request, or throws what the edge makes an envelope of. */
  run(
    exchange: Exchange,
    principal: Principal | undefined,
    request: Request,
    response: Response,
  ): Promise<void>;
}

/**
 * What comes after authentication: permission, body size, media type and form, path, query and body by the route's
 * schemas, the handler, and the check that the answer is one that the route declares.
 */
export function createOperation(
  route: Route,
  o: { readonly services: Services; readonly isStrict: boolean },
): Operation {
  const response = route.page === undefined ? route.response : route.response && listEnvelope(route.response);
  const declared = new Set<string>(route.errors);

  async function answer(
    exchange: Exchange,
    principal: Principal | undefined,
    request: Request,
  ): Promise<unknown> {
    if (
      route.permission !== undefined &&
      (principal === undefined || !isAllowed(route.permission, principal))
    ) {
      throw new ApiError('FORBIDDEN', 'Your role does not allow this.');
    }
    const bytes = await readBody(request);
    const body = route.body === undefined ? {} : parseBody(bytes, route.isBodyOptional);
    const call = { ...parse(route, request, body), services: o.services };
    const ctx = exchange.contextFor(callerOf(principal));
    const result = await route.handle({ ...call, ctx, principal });
    return call.page === undefined ? result : { ...Object(result), ...call.page };
  }

  function checkResponse(exchange: Exchange, body: unknown): void {
    const result = response === undefined ? undefined : response.safeParse(body);
    if (result === undefined ? body === undefined : result.success) return;
    const issues = result?.error?.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    exchange.log.error(
      { operationId: route.operationId, issues },
      'the answer is not what its route declares',
    );
    if (o.isStrict) throw new Error(`${route.operationId} answered what it does not declare.`);
  }

  function checkError(exchange: Exchange, thrown: unknown): void {
    const { code } = asApiError(thrown);
    if (declared.has(code)) return;
    exchange.log.error(
      { operationId: route.operationId, errorCode: code },
      'the error is not one that its route declares',
    );
    if (o.isStrict) throw new Error(`${route.operationId} does not declare ${code}.`, { cause: thrown });
  }

  return {
    needsCredential: route.auth === 'credential',
    callsApplication: route.callsApplication,
    async run(exchange, principal, request, reply) {
      let body: unknown;
      try {
        body = await answer(exchange, principal, request);
      } catch (error) {
        checkError(exchange, error);
        throw error;
      }
      checkResponse(exchange, body);
      sendJson(reply, route.status, body);
    },
  };
}

function parse(
  route: Route,
  request: Request,
  body: unknown,
): Omit<ParsedCall, 'ctx' | 'principal' | 'services'> {
  const params = parseInput(route.params, readParams(request.params, route.paramTypes));
  // What cannot be the id of a record is no record.
  if (params.findings.length > 0) throw notFound(route.resource);
  const sent = readQuery(new URLSearchParams(queryString(request.url)), route.queryTypes);
  const query = parseInput(route.query, sent.values);
  const parsedBody = route.body === undefined ? { value: {}, findings: [] } : parseInput(route.body, body);
  const findings = uniqueByField([...sent.findings, ...query.findings, ...parsedBody.findings]);
  if (findings.length > 0) throw refusalOf(findings);
  return {
    params: params.value,
    query: query.value,
    body: parsedBody.value,
    page: route.page === undefined ? undefined : pageOf(query.value),
  };
}

/** A parameter that was sent wrongly is missing for its schema too; the first finding says why. */
function uniqueByField(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  return [...new Map([...findings].reverse().map((finding) => [finding.field, finding])).values()].reverse();
}

function callerOf(principal: Principal | undefined): Caller {
  return principal === undefined
    ? { kind: 'service', service: 'gateway' }
    : {
        kind: 'user',
        accountId: principal.accountId,
        userId: principal.userId,
        roles: principal.roles,
        permissions: principal.permissions,
      };
}

function queryString(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
