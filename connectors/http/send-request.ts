import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall, LazyObject } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { encodeBody } from '@fairlead/connector-runtime/http/body';
import type { SentBody } from '@fairlead/connector-runtime/http/body';
import { withHeaders } from '@fairlead/connector-runtime/http/headers';
import type { Headers } from '@fairlead/connector-runtime/http/headers';
import { addQuery } from '@fairlead/connector-runtime/http/query';
import type { QueryPair } from '@fairlead/connector-runtime/http/query';
import { rawOutput } from '@fairlead/connector-runtime/http/response';
import { requestTarget } from '@fairlead/connector-runtime/http/target';
import { unbuiltResponse } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';
import { baseUrlOf } from './base-url.ts';

/**
 * Sends one request and returns its response, whatever the status. Exception: a 401 to an access token fails the call, and the token is
 * refreshed once. Redirects are returned, not followed: following one could take the credential outside the base URL.
 */
export const sendRequest: Handler = (call) => sendWithHeaders(call, {});

/** Sends a request like sendRequest, with headers of the credential, which replace the call's headers of the same name. */
export async function sendWithHeaders(call: HandlerCall, credentialHeaders: JsonObject): ReturnType<Handler> {
  // A large body stays unparsed.
  const { body: content, ...rest } = call.fields;
  const fields = parsedMembers(rest);
  const method = typeof fields['method'] === 'string' ? fields['method'].toUpperCase() : 'GET';
  const body = bodyOf(fields['file'], content);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new HandlerError(`A ${method} request has no body.`);
  }
  const request = authorize(call.method.scheme, call.credential, {
    url: withQuery(
      requestTarget(textOf(fields['url'] ?? ''), baseUrlOf(call.credential.fields)),
      fields['query'],
    ),
    headers: requestHeaders(fields['headers'], body),
  });
  const response = await call.egress.request({
    method,
    url: request.url.href,
    headers: withHeaders(request.headers, headerPairs(credentialHeaders)),
    ...(body === undefined ? {} : { body: body.content }),
    redirect: 'manual',
    signal: call.signal,
    maxResponseBytes: call.maxOutputBytes,
    destination: call.accountId,
  });
  if (response.status === 401 && call.method.scheme.type === 'oauth2') {
    throw new HandlerError('The API refused the access token (401).', { isUnauthorized: true });
  }
  return (call.takesUnbuilt === true ? unbuiltResponse(response) : undefined) ?? rawOutput(response);
}

/**
 * The body, from either input. Both together are refused: otherwise one would replace the other, and a policy that fixes the other would
 * have no effect.
 */
function bodyOf(given: Json | undefined, body: LazyObject[string] | undefined): SentBody | undefined {
  const file = fileBody(given);
  if (file === undefined) return body === undefined || body === null ? undefined : encodeBody(body);
  // An explicit null means no body, and also counts as given.
  if (body !== undefined)
    throw new HandlerError('The body is given twice, by `body` and by `file`. Give one of them.');
  return file;
}

/** The content of a file input, which the tools service has put in place of the file's name. */
function fileBody(value: Json | undefined): SentBody | undefined {
  if (!isObject(value)) return undefined;
  return {
    content: Buffer.from(textOf(value['base64'] ?? ''), 'base64'),
    contentType: textOf(value['contentType'] ?? 'application/octet-stream'),
  };
}

function requestHeaders(value: Json | undefined, body: SentBody | undefined): Headers {
  const initial: Headers = body === undefined ? {} : { 'content-type': body.contentType };
  return withHeaders({ accept: '*/*', ...initial }, headerPairs(isObject(value) ? value : {}));
}

function* headerPairs(headers: JsonObject): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) yield [name, textOf(value)];
}

/** Adds the query parameters. A name that the URL has, too, is refused, because vendors differ in which of two values counts. */
function withQuery(url: URL, query: Json | undefined): URL {
  const added = isObject(query) ? query : {};
  const given = new Set([...url.searchParams.keys()].map((name) => name.toLowerCase()));
  const twice = Object.keys(added).find((name) => given.has(name.toLowerCase()));
  if (twice !== undefined) {
    throw new HandlerError(
      `The query parameter "${twice.slice(0, 100)}" is given twice, by \`url\` and by \`query\`. Give it once.`,
    );
  }
  addQuery(url, queryPairs(added));
  url.hash = '';
  return url;
}

function* queryPairs(query: JsonObject): Generator<QueryPair> {
  for (const [name, value] of Object.entries(query)) {
    for (const item of isArray(value) ? value : [value]) yield [name, textOf(item)];
  }
}
