import { create, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Value } from '@bufbuild/protobuf/wkt';
import type { Json } from '@fairlead/connector-model/model';
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
import { projectOutcome } from '../domain/output-fields.ts';
import type { OutputFields } from '../domain/output-fields.ts';
import type { ExecuteToolResult, ExecuteToolRequest } from '../use-cases/execute-tool.ts';
import type { VendorRequest } from '../use-cases/send-request.ts';
import { toInfo, toOutcome } from './convert-execution.ts';

/** The call that a message requests. An unknown operator or direction and an absent value are undefined. */
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
    schemaProfile,
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
    approvalId,
    fields: fields ?? {},
    filters: message.filters.map(({ field, operator, value }) => ({
      field,
      operator: nameOfValue(OPERATOR_VALUES, operator),
      value: fromValue(value),
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

/** The message of the result of a call, with the part of its output that is requested. */
export function toExecuteToolResponse(
  { outcome, ...result }: ExecuteToolResult,
  fields: OutputFields | undefined,
): ExecuteToolResponse {
  const projected = { ...result, outcome: projectOutcome(outcome, fields) };
  return create(ExecuteToolResponseSchema, toResult(projected));
}

/** The request that a message asks to send. */
export function fromSendRequestRequest(message: SendRequestMessage): VendorRequest {
  const { connectionId, method, path, query, headers, body, dryRun } = message;
  return { connectionId, method, path, query: query ?? {}, headers, body: fromValue(body), dryRun };
}

/** The message of the result of a request. */
export function toSendRequestResponse(result: ExecuteToolResult): SendRequestResponse {
  return create(SendRequestResponseSchema, toResult(result));
}

function toResult({ outcome, historyId, info }: ExecuteToolResult) {
  return {
    ...toOutcome(outcome),
    ...(historyId === undefined ? {} : { historyId: BigInt(historyId) }),
    info: toInfo(info),
  };
}

function fromValue(value: Value | undefined): Json | undefined {
  return value?.kind.case === undefined ? undefined : toJson(ValueSchema, value);
}
