import { create } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { setMember } from '@fairlead/connector-model/json';
import { DIRECTION_VALUES, nameOfValue, OPERATOR_VALUES } from '@fairlead/connector-model/proto-enums';
import { deferJson, setDeferred } from '@fairlead/service-kit/json/deferred-json';
import {
  ExecuteToolResponseSchema,
  SendRequestResponseSchema,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  ExecuteToolRequest as ExecuteMessage,
  ExecuteToolResponse,
  SendRequestRequest as SendRequestMessage,
  SendRequestResponse,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { outputText } from '../domain/execution.ts';
import { readOutputFields } from '../domain/output-fields.ts';
import type { ExecutionResult } from '../domain/execution.ts';
import type { ExecuteToolRequest } from '../use-cases/executions/execute-tool.ts';
import type { VendorRequest } from '../use-cases/executions/send-request.ts';
import { toInfo } from './convert-execution.ts';

/** The call that a message requests. An unknown operator or direction and an absent value are undefined. VALIDATION_ERROR for malformed output fields. */
export function fromExecuteToolRequest(message: ExecuteMessage): ExecuteToolRequest {
  const {
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
    approvalId,
    top,
    offset,
    dryRun,
    schemaProfile,
  } = message;
  return {
    outputFields: readOutputFields(message.outputFields),
    schemaProfile,
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
    approvalId,
    fields: fieldsOf(message.fieldsJson),
    filters: message.filters.map(({ field, operator, valueJson }, at) => ({
      field,
      operator: nameOfValue(OPERATOR_VALUES, operator),
      value: valueJson && valueIn(valueJson, `filters[${at}].value`),
    })),
    sorts: message.sorts.map(({ field, direction }) => ({
      field,
      direction: nameOfValue(DIRECTION_VALUES, direction),
    })),
    top,
    offset,
    dryRun,
  };
}

/** The message of the result of a call. */
export function toExecuteToolResponse(result: ExecutionResult): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, toResult(result));
}

/** The request that a message asks to send. */
export function fromSendRequestRequest(message: SendRequestMessage): VendorRequest {
  const { connectionId, method, path, queryJson, headers, bodyJson, dryRun } = message;
  const query = LazyJson.object(queryJson, 'query').parseObject();
  const body = bodyJson && valueIn(bodyJson, 'body');
  return { connectionId, method, path, query, headers, body, dryRun };
}

/** The message of the result of a request. */
export function toSendRequestResponse(result: ExecutionResult): SendRequestResponse {
  return create(SendRequestResponseSchema, toResult(result));
}

function toResult({ outcome, historyId, info }: ExecutionResult) {
  return {
    ...(outcome.isSuccess
      ? { isSuccess: true, outputJson: outcome.json?.bytes ?? Buffer.from(outputText(outcome)) }
      : { isSuccess: false, errorMessage: outcome.errorMessage }),
    ...(historyId === undefined ? {} : { historyId: BigInt(historyId) }),
    info: toInfo(info),
  };
}

const QUOTE = 0x22;
/** Smaller values are read by most. */
const MIN_DEFERRED_BYTES = 16 * 1024;

function fieldsOf(members: Readonly<Record<string, Uint8Array>>): JsonObject {
  const fields = {};
  for (const [name, json] of Object.entries(members)) {
    if (json.length >= MIN_DEFERRED_BYTES) setDeferred(fields, name, json);
    else setMember(fields, name, new LazyJson(json, `fields.${name}`).parse());
  }
  return fields;
}

function valueIn(json: Uint8Array, name: string): JsonValue {
  const isDeferred = json.length >= MIN_DEFERRED_BYTES && json[0] !== QUOTE;
  return isDeferred ? deferJson(json) : new LazyJson(json, name).parse();
}
