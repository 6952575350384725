import { create } from '@bufbuild/protobuf';
import { DIRECTION_VALUES, nameOfValue, OPERATOR_VALUES } from '@fairlead/connector-model/proto-enums';
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
import { lazyIfLarge, objectOfMembers } from '@fairlead/service-kit/json/json-members';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { originOf } from '../domain/call-origin.ts';
import { outputText } from '../domain/execution.ts';
import { readOutputFields } from '../domain/output-fields.ts';
import type { ExecutionResult, Outcome } from '../domain/execution.ts';
import type { CallRequest } from '../use-cases/executions/execute-call.ts';
import type { VendorRequest } from '../use-cases/executions/send-request.ts';
import { toInfo } from './convert-execution.ts';

/** The requested call. An unknown operator or direction and an absent value are undefined. VALIDATION_ERROR for malformed output fields. */
export function fromExecuteToolRequest(message: ExecuteMessage): CallRequest {
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
    takesMcpResult,
  } = message;
  return {
    outputFields: readOutputFields(message.outputFields),
    schemaProfile,
    origin: originOf(message.mcpServerName),
    workflowToken: message.workflowToken,
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
    approvalId,
    fields: objectOfMembers(message.fieldsJson, 'fields'),
    filters: message.filters.map(({ field, operator, valueJson }, at) => ({
      field,
      operator: nameOfValue(OPERATOR_VALUES, operator),
      value: valueJson && lazyIfLarge(valueJson, `filters[${at}].value`),
    })),
    sorts: message.sorts.map(({ field, direction }) => ({
      field,
      direction: nameOfValue(DIRECTION_VALUES, direction),
    })),
    top,
    offset,
    dryRun,
    takesMcpResult,
  };
}

/** Encodes the result of a call. */
export function toExecuteToolResponse(result: ExecutionResult): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, toResult(result));
}

/** The passthrough request in a message. */
export function fromSendRequestRequest(message: SendRequestMessage): VendorRequest {
  const { connectionId, method, path, queryJson, headers, bodyJson, dryRun } = message;
  const query = LazyJson.object(queryJson, 'query').parseObject();
  const body = bodyJson && lazyIfLarge(bodyJson, 'body');
  return { connectionId, method, path, query, headers, body, dryRun };
}

/** Encodes the result of a passthrough request. */
export function toSendRequestResponse(result: ExecutionResult): SendRequestResponse {
  return create(SendRequestResponseSchema, toResult(result));
}

function toResult({ outcome, historyId, info, isMcpResult = false }: ExecutionResult) {
  return {
    ...(outcome.isSuccess
      ? {
          isSuccess: true,
          outputJson: outcome.json?.bytes ?? Buffer.from(outputText(outcome)),
          isMcpResult,
        }
      : failureOf(outcome)),
    ...(historyId === undefined ? {} : { historyId: BigInt(historyId) }),
    info: toInfo(info),
  };
}

function failureOf({ errorMessage, mcpResult, mcpError }: Extract<Outcome, { readonly isSuccess: false }>) {
  return {
    isSuccess: false,
    errorMessage,
    ...(mcpResult && { isMcpResult: true, outputJson: jsonBytes(mcpResult) }),
    ...(mcpError && { mcpErrorJson: jsonBytes(mcpError) }),
  };
}
