import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { isJsonText, parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { ToolCall } from '../call.ts';
import { CallFailure } from '../failure.ts';
import { InputError } from '../handler.ts';
import { unbuiltResponse } from '../outputs/unbuilt-output.ts';
import type { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { isArray, isObject, renderText, textOf } from '../templates.ts';
import { authorize } from './authorization.ts';
import { withHeaders } from './headers.ts';
import type { Headers } from './headers.ts';
import { encodeBody } from './body.ts';
import { addQuery } from './query.ts';
import type { QueryPair } from './query.ts';
import { baseUrl, isListedOrigin } from './request.ts';
import type { HttpRequest } from './request.ts';
import { rawOutput, requireSuccess } from './response.ts';
import type { Sender } from './send.ts';
import { hasDotSegments, requestTarget } from './target.ts';

const FIRST_REFUSAL = 400;

/**
 * Sends a passthrough request to the application's API and returns the response as `{status, headers, body}`.
 * Redirects are returned and not followed, because the target could be outside the base URL. Throws CallFailure for a
 * status of 400 or more. A large output stays unparsed if `takesUnbuilt` is set.
 */
export async function callPassthrough(
  call: ToolCall,
  sender: Sender,
  takesUnbuilt = false,
): Promise<JsonObject | UnbuiltOutput> {
  const response = await sender.send(passthroughRequest(call));
  if (response.status >= FIRST_REFUSAL) requireSuccess(call.connector, response);
  return (takesUnbuilt ? unbuiltResponse(response) : undefined) ?? rawOutput(response);
}

/**
 * Builds the request from `call.fields` (`method`, `path`, `query`, `headers`, `body`) and the connection's
 * credential, which no value of the caller can replace. The URL is always below the base URL. Throws InputError that
 * names an invalid member, and CallFailure if the credential is incomplete.
 */
export function passthroughRequest(call: ToolCall): HttpRequest {
  const { credential } = call;
  const { body, ...rest } = call.fields;
  const fields = parsedMembers(rest);
  const method = textOf(fields['method'] ?? 'GET');
  const url = inInput('path', () => target(textOf(fields['path'] ?? ''), baseUrl(call), call.connector));
  inInput('query', () => addQuery(url, queryPairs(fields['query'])));
  const hasBody = body !== undefined && body !== null;
  if (hasBody && (method === 'GET' || method === 'HEAD')) refuse('body', `a ${method} request has none`);
  const isVerbatim = isJsonText(body);
  const contentType = isVerbatim ? 'text/plain;charset=utf-8' : 'application/json';
  const own = connectorHeaders(call);
  const headers = inInput('headers', () =>
    withHeaders(
      { accept: '*/*', ...(hasBody && { 'content-type': contentType }), ...own.plain },
      headerPairs(fields['headers']),
    ),
  );
  return authorize(call.method.scheme, credential, {
    method,
    url,
    headers: withHeaders(headers, Object.entries(own.ofConnection)),
    body: hasBody ? body : undefined,
    ...(isVerbatim && { write: () => encodeBody(body ?? null).content }),
    redirect: 'manual',
  });
}

/** The connector's headers that depend on the connection; callers cannot change them. */
function connectorHeaders({ connector, credential }: ToolCall): {
  readonly plain: Headers;
  readonly ofConnection: Headers;
} {
  const plain: Record<string, string> = {};
  const ofConnection: Record<string, string> = {};
  for (const [name, template] of Object.entries(connector.headers)) {
    const value = renderText(template, { field: credential.fields });
    if (value === undefined) continue;
    (value === template ? plain : ofConnection)[name.toLowerCase()] = value;
  }
  return { plain, ofConnection };
}

function target(path: string, base: string | undefined, connector: ConnectorHead): URL {
  if (base === undefined) throw new CallFailure('the application has no base URL');
  // URL parsers disagree about these characters: they drop, resolve or replace them.
  if (/^\/{2,}|[\\\s]|\p{Cc}/u.test(path))
    throw new CallFailure('must not begin with "//", nor hold a backslash or a space');
  if (hasDotSegments(path.replace(/[?#].*$/s, '')))
    throw new CallFailure('must not hold the segments "." or ".."');
  const whole = URL.parse(path);
  const isElsewhere = whole !== null && isListedOrigin(connector, whole);
  const url = requestTarget(path, isElsewhere ? whole.origin : base);
  url.hash = '';
  return url;
}

function* queryPairs(query: Json | undefined): Generator<QueryPair> {
  for (const [name, value] of Object.entries(isObject(query) ? query : {})) {
    for (const item of isArray(value) ? value : [value]) yield [name, textOf(item)];
  }
}

function* headerPairs(headers: Json | undefined): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) yield [name, textOf(value)];
}

/** Runs `build`, and reports a value that it refuses as an issue of that input. */
function inInput<T>(field: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof CallFailure) return refuse(field, error.message);
    throw error;
  }
}

function refuse(field: string, issue: string): never {
  throw new InputError([{ field, issue }]);
}
