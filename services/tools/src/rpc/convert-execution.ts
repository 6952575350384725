import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import {
  ConnectionResolution as ResolutionMessage,
  ExecutionInfoSchema,
  ExecutionSchema,
  ExecutionSource as SourceMessage,
} from '@fairlead/contracts/tools/v1/execution_pb';
import type {
  Execution as ExecutionMessage,
  ExecutionInfo as InfoMessage,
} from '@fairlead/contracts/tools/v1/execution_pb';
import {
  ExecutionDaySchema,
  ListExecutionsResponseSchema,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  CountExecutionsByDayRequest,
  ExecutionDay as DayMessage,
  ListExecutionsRequest,
  ListExecutionsResponse,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { readPage } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import type { ExecutionSource } from '../domain/call-origin.ts';
import type {
  ConnectionResolution,
  Execution,
  ExecutionDay,
  ExecutionFilter,
  ExecutionInfo,
  ExecutionList,
} from '../domain/execution.ts';

const RESOLUTIONS: Readonly<Record<ConnectionResolution, ResolutionMessage>> = {
  explicit: ResolutionMessage.EXPLICIT,
  toolset: ResolutionMessage.TOOLSET,
  endUser: ResolutionMessage.END_USER,
  default: ResolutionMessage.DEFAULT,
  none: ResolutionMessage.NONE,
};

const SOURCES: Readonly<Record<ExecutionSource, SourceMessage>> = {
  rest: SourceMessage.REST,
  mcp: SourceMessage.MCP,
  workflow: SourceMessage.WORKFLOW,
};

/** The requested list; VALIDATION_ERROR for a page out of range. */
export function fromListExecutionsRequest(message: ListExecutionsRequest): {
  filter: ExecutionFilter;
  page: Page;
  after: number | undefined;
} {
  const { toolSlug, connectionId, isSuccess, from, to, after } = message;
  return {
    filter: {
      toolSlug,
      connectionId,
      isSuccess,
      from: fromTimestamp('from', from),
      to: fromTimestamp('to', to),
    },
    page: readPage(message.page),
    after: after === undefined ? undefined : Number(after),
  };
}

/** Encodes one page of the history. */
export function toListExecutionsResponse({ items, ...rest }: ExecutionList): ListExecutionsResponse {
  return create(ListExecutionsResponseSchema, { items: items.map(toExecution), ...rest });
}

/** Encodes one row of the history. */
export function toExecution({
  historyId,
  fields,
  outcome,
  info,
  createdAt,
  updatedAt,
}: Execution): ExecutionMessage {
  return create(ExecutionSchema, {
    historyId: BigInt(historyId),
    ...(outcome.isSuccess
      ? { isSuccess: true, outputJson: outcome.output.bytes }
      : { isSuccess: false, errorMessage: outcome.errorMessage }),
    fieldsJson: fields.bytes,
    info: toInfo(info),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}

/** The requested period. */
export function fromCountExecutionsByDayRequest({ from, to }: CountExecutionsByDayRequest): {
  from: Date | undefined;
  to: Date | undefined;
} {
  return { from: fromTimestamp('from', from), to: fromTimestamp('to', to) };
}

/** Encodes a day's count. */
export function toExecutionDay({ date, executionCount }: ExecutionDay): DayMessage {
  return create(ExecutionDaySchema, { date, executionCount: BigInt(executionCount) });
}

/** Encodes the info of an execution. */
export function toInfo({ connectionId, userId, mcpServerName, ...info }: ExecutionInfo): InfoMessage {
  return create(ExecutionInfoSchema, {
    ...info,
    ...(connectionId !== null && { connectionId }),
    startedAt: timestampFromDate(info.startedAt),
    connectionResolution: RESOLUTIONS[info.connectionResolution],
    ...(userId !== null && { userId }),
    source: SOURCES[info.source],
    ...(mcpServerName !== null && { mcpServerName }),
  });
}

function fromTimestamp(field: string, timestamp: Timestamp | undefined): Date | undefined {
  if (!timestamp) return undefined;
  const date = timestampDate(timestamp);
  if (Number.isNaN(date.getTime())) throw validationError({ field, issue: 'must be a valid time' });
  return date;
}
