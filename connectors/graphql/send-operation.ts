import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { objectAt, requireSuccess } from '@fairlead/connector-runtime/http/response';
import { requestTarget } from '@fairlead/connector-runtime/http/target';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';

const MAX_MESSAGE_LENGTH = 500;

/** One operation in the form of GraphQL over HTTP. */
export interface Operation {
  readonly query: string;
  readonly variables?: JsonObject;
  readonly operationName?: string;
}

/**
 * Sends an operation to the endpoint of the call's connection. If the response has data and errors, both are returned; without data, the
 * first error fails the call.
 */
export async function sendOperation(call: HandlerCall, operation: Operation): Promise<JsonObject> {
  const endpoint = textOf(call.credential.fields['endpoint'] ?? '');
  const request = authorize(call.method.scheme, call.credential, {
    url: requestTarget(endpoint, endpoint),
    headers: {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
    },
  });
  await call.beforeSend?.(false);
  const response = await call.egress.request({
    method: 'POST',
    url: request.url.href,
    headers: request.headers,
    body: JSON.stringify(operation),
    redirect: 'manual',
    signal: call.signal,
    maxResponseBytes: call.maxOutputBytes,
    destination: call.accountId,
  });
  requireSuccess(call.connector, response);
  const answer = objectAt(response, '');
  if (isObject(answer['data'])) return answer;
  const message = firstMessage(answer['errors']);
  throw new HandlerError(`The endpoint refused the operation: ${message ?? 'it sent no data.'}`);
}

function firstMessage(errors: Json | undefined): string | undefined {
  const [first] = errors !== undefined && isArray(errors) ? errors : [];
  const message = isObject(first) ? first['message'] : undefined;
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : undefined;
}
