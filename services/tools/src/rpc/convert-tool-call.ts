import { create, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Value } from '@bufbuild/protobuf/wkt';
import type { Json } from '@fairlead/connector-model/model';
import { DIRECTION_VALUES, nameOfValue, OPERATOR_VALUES } from '@fairlead/connector-model/proto-enums';
import { ExecuteToolResponseSchema } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  ExecuteToolRequest as ExecuteMessage,
  ExecuteToolResponse,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { ExecuteToolResult, ExecuteToolRequest } from '../use-cases/execute-tool.ts';
import { toInfo, toOutcome } from './convert-execution.ts';

/** The call that a message requests. An unknown operator or direction and an absent value are undefined. */
export function fromExecuteToolRequest(message: ExecuteMessage): ExecuteToolRequest {
  const { toolSlug, applicationSlug, connectionId, toolsetId, endUserId, fields, top, offset, dryRun } =
    message;
  return {
    toolSlug,
    applicationSlug,
    connectionId,
    toolsetId,
    endUserId,
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

/** The message of the result of a call. */
export function toExecuteToolResponse({ outcome, historyId, info }: ExecuteToolResult): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, {
    ...toOutcome(outcome),
    ...(historyId === undefined ? {} : { historyId: BigInt(historyId) }),
    info: toInfo(info),
  });
}

function fromValue(value: Value | undefined): Json | undefined {
  return value?.kind.case === undefined ? undefined : toJson(ValueSchema, value);
}
