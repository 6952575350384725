import type {
  AuthenticationMethod,
  BodyEncoding,
  ConnectorHead,
  HttpRequestTemplate,
} from '@fairlead/connector-model/model';
import { parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { Credential } from '../call.ts';
import { CallFailure } from '../failure.ts';
import { renderText, renderValue } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { isWholeAddress, renderUrl } from '../url-template.ts';
import { authorize } from './authorization.ts';
import { encodedBody } from './encoded-body.ts';
import { withHeaders } from './headers.ts';
import type { Headers } from './headers.ts';
import { parametersOf } from './parameters.ts';
import { addQuery } from './query.ts';
import type { QueryPair } from './query.ts';

/** A request ready to send, credential included. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The body; undefined: none. */
  readonly body: LazyValue | undefined;
  /** Writes the body; absent: the body is written as JSON. */
  readonly write?: () => string | Uint8Array;
  /** The member of the same name in EgressRequest. */
  readonly redirect?: 'follow' | 'manual';
}

/** The connector, method and credential that a request uses. */
export interface RequestOwner {
  readonly connector: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly credential: Credential;
}

const JSON_ENCODING: BodyEncoding = { type: 'json' };

/**
 * Renders a request template and adds the credential. Refuses a request with a credential to an origin that is not
 * the connector's, so that no caller's value can send a secret elsewhere. Throws CallFailure.
 */
export function buildRequest(
  owner: RequestOwner,
  template: HttpRequestTemplate,
  values: Omit<TemplateValues, 'field'>,
  extraQuery: readonly QueryPair[] = [],
): HttpRequest {
  const all: TemplateValues = { ...values, field: owner.credential.fields };
  // During a sign-in, the base address may need a value that this request is meant to fetch.
  const url = isWholeAddress(template.url)
    ? renderUrl(template.url, all)
    : renderUrl(template.url, all, baseUrl(owner));
  addQuery(url, templateQuery(template, all));
  addQuery(url, extraQuery);

  const body = renderBody(template, all);
  const encoded = body === undefined ? undefined : encodedBody(body, template.encoding ?? JSON_ENCODING);
  const headers = withHeaders(
    { accept: 'application/json', ...(encoded && { 'content-type': encoded.contentType }) },
    Object.entries(template.headers).flatMap(([name, valueTemplate]) => {
      const value = renderText(valueTemplate, all);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

  const method = renderText(template.method, all) ?? 'GET';
  const request = { method, url, headers, body, ...(encoded && { write: encoded.write }) };
  return authorize(owner.method.scheme, owner.credential, {
    ...request,
    url: withinOrigin(owner, template, url),
  });
}

function renderBody(template: HttpRequestTemplate, values: TemplateValues): LazyValue | undefined {
  const { graphql, body } = template;
  if (graphql !== undefined)
    return { query: graphql.query, variables: renderValue(graphql.variables, values) ?? {} };
  return body === null ? undefined : (renderValue(body, values) ?? {});
}

/** The same request with the vendor's URL for the next page, within the same origins. Throws CallFailure. */
export function continueAt(
  owner: RequestOwner,
  template: HttpRequestTemplate,
  request: HttpRequest,
  url: URL,
): HttpRequest {
  const next = { ...request, url: withinOrigin(owner, template, url) };
  return authorize(owner.method.scheme, owner.credential, next);
}

/** This connection's base address, from the method or else the connector; undefined if neither has one. */
export function baseUrl({ connector, method, credential }: RequestOwner): string | undefined {
  const template = method.baseUrl ?? connector.baseUrl;
  return template === null ? undefined : renderUrl(template, { field: credential.fields }).href;
}

/** Returns `url`; throws CallFailure if it is outside the origins that may receive the connection's secrets. */
function withinOrigin(owner: RequestOwner, template: HttpRequestTemplate, url: URL): URL {
  if (url.origin !== trustedOrigin(owner, template) && !isListedOrigin(owner.connector, url)) {
    throw new CallFailure('The request URL is outside the address of the application.');
  }
  return url;
}

/** Whether the connector lists the origin of `url` as one of the vendor's. */
export function isListedOrigin({ origins = [] }: Pick<ConnectorHead, 'origins'>, url: URL): boolean {
  return origins.some((origin) => URL.parse(origin)?.origin === url.origin);
}

/** The origin of the base address; without one, the origin of the template's own address, with no input of the caller. */
function trustedOrigin(
  { connector, method, credential }: RequestOwner,
  { url }: HttpRequestTemplate,
): string {
  const address = method.baseUrl ?? connector.baseUrl ?? url;
  const authority = /^(\{\{[^{}]+\}\}|https?:\/\/[^/?#]*)/i.exec(address)?.[0] ?? '';
  return renderUrl(authority, { field: credential.fields }).origin;
}

function* templateQuery(
  { query, queryStyles = {} }: Pick<HttpRequestTemplate, 'query' | 'queryStyles'>,
  values: TemplateValues,
): Generator<QueryPair> {
  for (const [name, template] of Object.entries(query)) {
    const rendered = renderValue(template, values);
    if (rendered === undefined || rendered === null) continue;
    const style = Object.hasOwn(queryStyles, name) ? queryStyles[name] : undefined;
    yield* parametersOf(name, parsed(rendered), style ?? 'repeat');
  }
}
