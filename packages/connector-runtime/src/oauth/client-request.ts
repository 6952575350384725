import type { ClientAuthentication, ParameterFormat } from '@fairlead/connector-model/model';
import { EgressError } from '@fairlead/egress/error';
import type { Egress, EgressResponse } from '@fairlead/egress/egress';
import { CallFailure } from '../failure.ts';
import { withHeader } from '../http/headers.ts';
import type { Headers } from '../http/headers.ts';
import { maskSecrets } from '../secret-masking.ts';
import { renderText } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';
import { TokenError } from './token-error.ts';

/** The OAuth client at the vendor. An empty secret: a public client; an empty id: no client. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The account that a vendor's OAuth endpoint is called for, and the template values. */
export interface ClientCall {
  /** The account whose socket limit applies. Other accounts may use the same vendor. */
  readonly accountId: string;
  readonly client: OAuthClient;
  readonly values: TemplateValues;
  readonly signal: AbortSignal;
}

/** One client request to an OAuth endpoint. */
export interface ClientRequest {
  readonly method: 'POST' | 'DELETE' | 'GET';
  /** A template. */
  readonly url: string;
  readonly format: ParameterFormat;
  readonly clientAuthentication: ClientAuthentication;
  /** Names of the parameters with the client's id and secret. */
  readonly clientParameters: { readonly id: string; readonly secret: string };
  /** Template parameters; those without a value are omitted. */
  readonly templates: Readonly<Record<string, string>>;
  /** Literal parameters; they override templates of the same name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Adds further parts to the request. */
  readonly authorize?: (request: AddressedRequest) => AddressedRequest;
  /** Texts that errors must not quote, besides the client's secret. */
  readonly secrets: readonly string[];
}

/** The parts of a request that may contain a credential. */
interface AddressedRequest {
  readonly url: URL;
  readonly headers: Headers;
}

const TIMEOUT_MS = 20_000;
const MAX_RESPONSE_BYTES = 256 * 1024;

/** Sends a request and reads its response. Throws TokenError without secrets in its message. */
export async function callEndpoint<T>(
  egress: Egress,
  call: ClientCall,
  request: ClientRequest,
  read: (response: EgressResponse) => T,
): Promise<T> {
  try {
    return read(await send(egress, call, request));
  } catch (error) {
    const { kind, message, code } = asTokenError(error);
    const secrets = [call.client.clientSecret, ...request.secrets];
    throw new TokenError(kind, maskSecrets(message, secrets), { code, cause: error });
  }
}

function send(egress: Egress, call: ClientCall, request: ClientRequest): Promise<EgressResponse> {
  const isBasic = request.clientAuthentication === 'basic' && call.client.clientSecret !== '';
  const parameters = parametersOf(call, request, isBasic);
  const encoded = encodeParameters(request.format, parameters);
  const addressed = {
    url: renderUrl(request.url, call.values),
    headers: withHeader(encoded.headers, 'accept', 'application/json'),
  };
  for (const [name, value] of encoded.query) addressed.url.searchParams.set(name, value);
  if (isBasic) addressed.headers = withHeader(addressed.headers, 'authorization', basic(call.client));
  const { url, headers } = request.authorize?.(addressed) ?? addressed;
  return egress.request({
    method: request.method,
    url: url.href,
    destination: call.accountId,
    headers,
    ...(encoded.body === undefined ? {} : { body: encoded.body }),
    signal: call.signal,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
}

function parametersOf(
  { client, values }: ClientCall,
  { templates, parameters, clientAuthentication, clientParameters }: ClientRequest,
  isBasic: boolean,
): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [name, template] of Object.entries(templates)) {
    const value = renderText(template, values);
    if (value !== undefined) all.set(name, value);
  }
  for (const [name, value] of Object.entries(parameters)) all.set(name, value);
  // With a signed assertion, a client id may be unnecessary.
  if (isBasic || client.clientId === '') return all;
  all.set(clientParameters.id, client.clientId);
  if (clientAuthentication !== 'none' && client.clientSecret !== '')
    all.set(clientParameters.secret, client.clientSecret);
  return all;
}

function encodeParameters(
  format: ParameterFormat,
  parameters: ReadonlyMap<string, string>,
): { readonly headers: Headers; readonly query: ReadonlyMap<string, string>; readonly body?: string } {
  switch (format) {
    case 'form':
      return {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        query: new Map(),
        body: new URLSearchParams([...parameters]).toString(),
      };
    case 'json':
      return {
        headers: { 'content-type': 'application/json' },
        query: new Map(),
        body: JSON.stringify(Object.fromEntries(parameters)),
      };
    case 'query':
      return { headers: {}, query: parameters };
  }
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basic({ clientId, clientSecret }: OAuthClient): string {
  const pair = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ part }).toString().slice('part='.length),
  );
  return `Basic ${Buffer.from(pair.join(':'), 'utf8').toString('base64')}`;
}

/** Converts expected failures to TokenError; rethrows other errors. */
function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  if (error instanceof CallFailure) return new TokenError('refused', error.message);
  if (error instanceof EgressError) return new TokenError('unavailable', error.message);
  throw error;
}
