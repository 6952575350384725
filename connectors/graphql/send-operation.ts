import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { authorize } from '@fairlead/connector-runtime/http/authorization';
import { objectAt } from '@fairlead/connector-runtime/http/response';
import { requestTarget } from '@fairlead/connector-runtime/http/target';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';

const MAX_MESSAGE_LENGTH = 500;

/** One operation, as GraphQL over HTTP sends it. */
export interface Operation {
  readonly query: string;
  readonly variables?: JsonObject;
  readonly operationName?: string;
}

/**
 * Sends an operation to the endpoint of the call's connection. Data that came with errors is returned with them; without data, the first
 * error fails the call.
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
  if (response.status === 401)
    throw new HandlerError('The endpoint refused the credential (401).', { isUnauthorized: true });
  const isRefused = response.status < 200 || response.status > 299;
  const answer = answerOf(response, isRefused);
  const { data, errors } = answer;
  if (isObject(data) && !isRefused) return answer;
  throw new HandlerError(
    `The endpoint refused the operation (${String(response.status)}): ${firstMessage(errors) ?? 'it sent no data.'}`,
  );
}

/** The body of a refusal may be anything. */
function answerOf(response: Parameters<typeof objectAt>[0], isRefused: boolean): JsonObject {
  try {
    return objectAt(response, '');
  } catch (error) {
    if (isRefused) return {};
    throw error;
  }
}

function firstMessage(errors: Json | undefined): string | undefined {
  const [first] = errors !== undefined && isArray(errors) ? errors : [];
  const message = isObject(first) ? first['message'] : undefined;
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : undefined;
}
