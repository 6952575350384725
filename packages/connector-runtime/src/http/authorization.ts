import type { AuthenticationScheme, TokenPlacement } from '@fairlead/connector-model/model';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { Credential } from '../call.ts';
import { CallFailure } from '../failure.ts';
import { renderText } from '../templates.ts';
import { signForAws } from './aws-signature.ts';
import { withHeader } from './headers.ts';
import type { Headers } from './headers.ts';

/** The parts of a request that carry a credential or are signed. */
interface RequestParts {
  /** Absent: GET. */
  readonly method?: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: LazyValue | undefined;
  readonly write?: () => string | Uint8Array;
}

const COOKIE_VALUE = /^[\u0021\u0023-\u002b\u002d-\u003a\u003c-\u005b\u005d-\u007e]*$/;

/**
 * Adds the credential at the place that the scheme defines, and replaces any value there. The schemes `custom` and
 * `none` add nothing: their templates and handlers add the credential. Throws CallFailure if a value is missing.
 */
export function authorize<R extends RequestParts>(
  scheme: AuthenticationScheme,
  credential: Credential,
  request: R,
): R {
  switch (scheme.type) {
    case 'none':
    case 'custom':
      return request;
    case 'bearer':
      return withAuthorization(request, `Bearer ${required(scheme.token, credential)}`);
    case 'oauth2':
      if (credential.accessToken === undefined) {
        throw new CallFailure('The connection has no access token.', { isUnauthorized: true });
      }
      return withAccessToken(scheme.accessToken, credential.accessToken, request);
    case 'basic':
      return withAuthorization(request, `Basic ${basicCredentials(scheme, credential)}`);
    case 'apiKey':
      return withApiKey(scheme, credential, request);
    case 'awsSigV4':
      return withAwsSignature(scheme, credential, request);
  }
}

function withAuthorization<R extends RequestParts>(request: R, value: string): R {
  return { ...request, headers: withHeader(request.headers, 'authorization', value) };
}

function withAccessToken<R extends RequestParts>(placement: TokenPlacement, token: string, request: R): R {
  const { name, prefix } = placement;
  const value = prefix === '' ? token : `${prefix} ${token}`;
  return placement.in === 'header'
    ? { ...request, headers: withHeader(request.headers, name, value) }
    : withParameter(request, name, value);
}

function withParameter<R extends RequestParts>(request: R, name: string, value: string): R {
  const url = new URL(request.url);
  url.searchParams.set(name, value);
  return { ...request, url };
}

/** RFC 7617: the user name ends at the first colon. An absent password counts as empty. */
function basicCredentials(scheme: { username: string; password: string }, credential: Credential): string {
  const username = required(scheme.username, credential);
  if (username.includes(':')) throw new CallFailure('The user name must not contain a colon.');
  const password = renderText(scheme.password, { field: credential.fields }) ?? '';
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}

/** The signature covers the encoded body, so exactly these bytes are sent. */
function withAwsSignature<R extends RequestParts>(
  scheme: Extract<AuthenticationScheme, { readonly type: 'awsSigV4' }>,
  credential: Credential,
  request: R,
): R {
  const { body, write } = request;
  const content = body === undefined ? '' : (write?.() ?? jsonBytes(body));
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const signer = {
    accessKeyId: required(scheme.accessKeyId, credential),
    secretAccessKey: required(scheme.secretAccessKey, credential),
    region: required(scheme.region, credential),
    service: scheme.service,
  };
  const { method = 'GET', url, headers } = request;
  const signed = signForAws({ method, url, headers, body: bytes }, signer, new Date());
  return { ...request, ...signed, ...(body !== undefined && { write: () => bytes }) };
}

function withApiKey<R extends RequestParts>(
  scheme: { in: 'header' | 'query' | 'cookie'; name: string; value: string },
  credential: Credential,
  request: R,
): R {
  const name = required(scheme.name, credential);
  const value = required(scheme.value, credential);
  switch (scheme.in) {
    case 'header':
      return { ...request, headers: withHeader(request.headers, name, value) };
    case 'query':
      return withParameter(request, name, value);
    case 'cookie': {
      if (!COOKIE_VALUE.test(value))
        throw new CallFailure('The key contains characters that a cookie must not have.');
      return { ...request, headers: withHeader(request.headers, 'cookie', `${name}=${value}`) };
    }
  }
}

function required(template: string, credential: Credential): string {
  const value = renderText(template, { field: credential.fields });
  if (value === undefined || value === '') throw new CallFailure('The connection lacks a credential value.');
  return value;
}
