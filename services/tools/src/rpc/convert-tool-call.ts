import { create } from '@bufbuild/protobuf';
import { fromValue } from '@fairlead/connect-fast/json-value';
import { DIRECTION_VALUES, nameOfValue, OPERATOR_VALUES } from '@fairlead/connector-model/proto-enums';
import { deferJson, joinDeferred } from '@fairlead/service-kit/json/deferred-json';
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
import { outputText } from '../domain/execution.ts';
import { readOutputFields } from '../domain/output-fields.ts';
import type { ExecuteToolResult, ExecuteToolRequest } from '../use-cases/execute-tool.ts';
import type { VendorRequest } from '../use-cases/send-request.ts';
import { toInfo, toOutcome } from './convert-execution.ts';

/** The call that a message requests. An unknown operator or direction and an absent value are undefined. VALIDATION_ERROR for malformed output fields. */
export function fromExecuteToolRequest(message: ExecuteMessage): ExecuteToolRequest {
  const {
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
    approvalId,
    fields,
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
    fields: joinDeferred(fields ?? {}, message.fieldsJson),
    filters: message.filters.map(({ field, operator, value, valueJson }) => ({
      field,
      operator: nameOfValue(OPERATOR_VALUES, operator),
      value: valueJson === undefined ? fromValue(value) : deferJson(valueJson),
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
export function toExecuteToolResponse(result: ExecuteToolResult, takesJson: boolean): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, toResult(result, takesJson));
}

/** The request that a message asks to send. */
export function fromSendRequestRequest(message: SendRequestMessage): VendorRequest {
  const { connectionId, method, path, query, headers, bodyJson, dryRun } = message;
  const body = bodyJson === undefined ? fromValue(message.body) : deferJson(bodyJson);
  return { connectionId, method, path, query: query ?? {}, headers, body, dryRun };
}

/** The message of the result of a request. */
export function toSendRequestResponse(result: ExecuteToolResult, takesJson: boolean): SendRequestResponse {
  return create(SendRequestResponseSchema, toResult(result, takesJson));
}

function toResult({ outcome, historyId, info }: ExecuteToolResult, takesJson: boolean) {
  return {
    ...(takesJson && outcome.isSuccess
      ? { isSuccess: true, outputJson: outcome.json?.bytes ?? Buffer.from(outputText(outcome)) }
      : toOutcome(outcome)),
    ...(historyId === undefined ? {} : { historyId: BigInt(historyId) }),
    info: toInfo(info),
  };
}
