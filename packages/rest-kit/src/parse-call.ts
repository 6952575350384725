import type { JsonObject } from '@bufbuild/protobuf';
import { notFound, unknownSlug } from '@fairlead/errors/api-error';
import type { Request } from 'express';
import { echoedId, slug } from './fields.ts';
import { parseInput, refusalOf } from './issues.ts';
import { pageOf } from './list.ts';
import { queryString, readParams, readQuery } from './parameters.ts';
import type { ParsedCall, Route } from './route.ts';
import { refusesUnknown } from './unknown-names.ts';
import type { Finding } from './finding.ts';

/**
 * Parses path, query and body by the route's schemas. Throws NOT_FOUND for path parameters of the wrong form, then
 * the route's own refusal of the body, then one error with all problems of query and body.
 */
export function parseCall(
  route: Route,
  request: Request,
  body: JsonObject,
): Pick<ParsedCall, 'params' | 'query' | 'body' | 'page'> {
  const params = parseParams(route, request);
  route.refuseBody?.(body);
  const sent = readQuery(new URLSearchParams(queryString(request.url)), route.queryTypes, {
    refusesUnknown: refusesUnknown(route.query),
  });
  const query = parseInput(route.query, sent.values);
  const parsedBody = route.body === undefined ? { value: {}, findings: [] } : parseInput(route.body, body);
  const findings = uniqueByField([...sent.findings, ...query.findings, ...parsedBody.findings]);
  if (findings.length > 0) throw refusalOf(findings);
  return {
    params,
    query: query.value,
    body: parsedBody.value,
    page: route.page === undefined ? undefined : pageOf(query.value),
  };
}

/** Longer values are cut in errors. */
const MAX_ECHOED = 300;

/** The path parameters; throws NOT_FOUND for a value that cannot be a record's id. */
export function parseParams(route: Route, request: Request): unknown {
  const params = parseInput(route.params, readParams(request.params, route.paramTypes));
  if (params.findings.length > 0) {
    const echoed = sentFor(route, request, echoedId);
    if (echoed !== undefined) throw notFound(route.resource, echoed.slice(0, MAX_ECHOED));
    const sent = sentFor(route, request, slug);
    throw sent === undefined ? notFound(route.resource) : unknownSlug(route.resource, sent, []);
  }
  return params.value;
}

/** The raw path parameter with this schema. */
function sentFor(route: Route, request: Request, schema: unknown): string | undefined {
  const [name] = Object.entries(route.params.shape).find(([, it]) => it === schema) ?? [];
  const sent: unknown = name === undefined ? undefined : request.params[name];
  return typeof sent === 'string' ? sent : undefined;
}

/** For the schema, a badly sent parameter is also missing; the first finding gives the reason. */
function uniqueByField(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  return [...new Map([...findings].reverse().map((finding) => [finding.field, finding])).values()].reverse();
}
