import { create } from '@bufbuild/protobuf';
import { PASSTHROUGH_METHODS } from '@fairlead/connector-runtime/mcp/mcp-request';
import type { McpRequest } from '@fairlead/connector-runtime/mcp/mcp-request';
import {
  CallMethodResponseSchema,
  ReadListsResponseSchema,
} from '@fairlead/contracts/tools/v1/upstream_service_pb';
import type {
  CallMethodRequest,
  CallMethodResponse,
  ReadListsResponse,
} from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { arraySlices, objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import type { UpstreamOutcome } from '../use-cases/executions/request-upstream.ts';

const errorForm = z.object({ code: z.int32(), message: z.string(), data: z.json().optional() });

const NO_ITEMS = Buffer.from('[]');

/** The request; VALIDATION_ERROR for a method that is not forwarded. */
export function fromCallMethodRequest({
  method,
  paramsJson,
}: CallMethodRequest): Extract<McpRequest, { readonly type: 'method' }> {
  const known = PASSTHROUGH_METHODS.find((passed) => passed === method);
  if (known === undefined)
    throw validationError({ field: 'method', issue: `must be one of ${PASSTHROUGH_METHODS.join(', ')}` });
  return { type: 'method', method: known, params: LazyJson.object(paramsJson, 'params') };
}

/** Encodes the lists, or the reason why there are none. */
export function toReadListsResponse(outcome: UpstreamOutcome): ReadListsResponse {
  if (!outcome.isSuccess) return create(ReadListsResponseSchema, { outcome: failureOf(outcome) });
  const members = membersOf(outcome.output);
  const list = (name: string): Uint8Array => {
    const json = members.get(name);
    return json === undefined || arraySlices(json) === undefined ? NO_ITEMS : json;
  };
  const isTrue = (name: string): boolean => new LazyJson(members.get(name) ?? NO_ITEMS).parse() === true;
  return create(ReadListsResponseSchema, {
    outcome: {
      case: 'lists',
      value: {
        promptsJson: list('prompts'),
        resourcesJson: list('resources'),
        resourceTemplatesJson: list('resourceTemplates'),
        hasPrompts: isTrue('hasPrompts'),
        hasResources: isTrue('hasResources'),
        hasCompletions: isTrue('hasCompletions'),
        hasSubscriptions: isTrue('hasSubscriptions'),
      },
    },
  });
}

/** Encodes the result, the server's error, or the reason why there is neither. */
export function toCallMethodResponse(outcome: UpstreamOutcome): CallMethodResponse {
  if (!outcome.isSuccess) return create(CallMethodResponseSchema, { outcome: failureOf(outcome) });
  const members = membersOf(outcome.output);
  const error = members.get('error');
  if (error === undefined) {
    const value = members.get('result') ?? Buffer.from('{}');
    return create(CallMethodResponseSchema, { outcome: { case: 'resultJson', value } });
  }
  const { code, message, data } = errorForm.parse(new LazyJson(error).parse());
  const dataJson = data === undefined ? new Uint8Array() : LazyJson.of(data).bytes;
  return create(CallMethodResponseSchema, { outcome: { case: 'error', value: { code, message, dataJson } } });
}

function failureOf({ errorMessage, isUnauthorized }: Extract<UpstreamOutcome, { isSuccess: false }>) {
  return { case: 'failure' as const, value: { message: errorMessage, isUnauthorized } };
}

function membersOf({ bytes }: LazyJson): ReadonlyMap<string, Uint8Array> {
  return objectSlices(bytes) ?? new Map<string, Uint8Array>();
}
