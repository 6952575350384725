import type {
  AuthenticationMethod,
  ConnectorHead,
  HttpRequestTemplate,
  Json,
} from '@fairlead/connector-model/model';
import { parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { Credential } from '../call.ts';
import { CallFailure } from '../failure.ts';
import { isArray, renderText, renderValue, textOf } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';
import { authorize } from './authorization.ts';
import { withHeaders } from './headers.ts';
import type { Headers } from './headers.ts';
import { addQuery } from './query.ts';
import type { QueryPair } from './query.ts';

/** A request ready to send, credential included. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The JSON body; undefined: none. */
  readonly body: LazyValue | undefined;
  /** The body is a text that is sent as it is, not as JSON. */
  readonly isVerbatim?: boolean;
  /** As in EgressRequest. */
  readonly redirect?: 'follow' | 'manual';
}

/** The connector, method and credential that a request uses. */
export interface RequestOwner {
  readonly connector: ConnectorHead;
  readonly method: AuthenticationMethod;
  readonly credential: Credential;
}

/**
 * Renders a request template and adds the credential. A credentialed request outside the connector's own origin is
 * refused, so that no caller's value can send a secret elsewhere. Throws CallFailure.
 */
export function buildRequest(
  owner: RequestOwner,
  template: HttpRequestTemplate,
  values: Omit<TemplateValues, 'field'>,
  extraQuery: readonly QueryPair[] = [],
): HttpRequest {
  const all: TemplateValues = { ...values, field: owner.credential.fields };
  const base = baseUrl(owner);
  const url = renderUrl(template.url, all, base);
  addQuery(url, templateQuery(template.query, all));
  addQuery(url, extraQuery);

  const body = template.body === null ? undefined : (renderValue(template.body, all) ?? {});
  const headers = withHeaders(
    { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    Object.entries(template.headers).flatMap(([name, valueTemplate]) => {
      const value = renderText(valueTemplate, all);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

  const method = renderText(template.method, all) ?? 'GET';
  const request = { method, url, headers, body };
  return authorize(owner.method.scheme, owner.credential, {
    ...request,
    url: withinOrigin(owner, { template, base }, url),
  });
}

/**
 * The same request at an address that the vendor gave for the next page, within the same origin. Throws CallFailure.
 */
export function continueAt(
  owner: RequestOwner,
  template: HttpRequestTemplate,
  request: HttpRequest,
  url: URL,
): HttpRequest {
  const next = { ...request, url: withinOrigin(owner, { template, base: baseUrl(owner) }, url) };
  return authorize(owner.method.scheme, owner.credential, next);
}

/** The base address of the method, or else of the connector, for this connection; undefined if there is none. */
export function baseUrl({ connector, method, credential }: RequestOwner): string | undefined {
  const template = method.baseUrl ?? connector.baseUrl;
  return template === null ? undefined : renderUrl(template, { field: credential.fields }).href;
}

/** The two addresses that decide on the origin of a request: its template, and the base address of its connection. */
interface Addresses {
  readonly template: HttpRequestTemplate;
  readonly base: string | undefined;
}

/** Returns `url`; throws CallFailure if it is outside the one origin that may receive the connection's secrets. */
function withinOrigin(owner: RequestOwner, from: Addresses, url: URL): URL {
  if (url.origin !== trustedOrigin(owner, from)) {
    throw new CallFailure('The request URL is outside the address of the application.');
  }
  return url;
}

/** The origin of the base address, or of the template's own address without any caller's input. */
function trustedOrigin(owner: RequestOwner, { template, base }: Addresses): string {
  const fields = owner.credential.fields;
  if (base !== undefined) return new URL(base).origin;
  const authority = /^(\{\{[^{}]+\}\}|https?:\/\/[^/?#]*)/i.exec(template.url)?.[0] ?? '';
  return renderUrl(authority, { field: fields }).origin;
}

function* templateQuery(
  query: { readonly [name: string]: Json },
  values: TemplateValues,
): Generator<QueryPair> {
  for (const [name, template] of Object.entries(query)) {
    const rendered = renderValue(template, values);
    if (rendered === undefined || rendered === null) continue;
    const value = parsed(rendered);
    for (const item of isArray(value) ? value : [value]) yield [name, textOf(item)];
  }
}
