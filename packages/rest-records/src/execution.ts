import { ExecutionSource } from '@fairlead/contracts/tools/v1/execution_pb';
import type { Execution, ExecutionInfo } from '@fairlead/contracts/tools/v1/execution_pb';
import type {
  ExecuteToolResponse,
  SendRequestResponse,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { RESOLUTIONS, SOURCES, nameOf, namesOf } from './enums.ts';
import { presentTime, required } from './values.ts';

const executionInfo = z
  .strictObject({
    startedAt: timestamp,
    durationMs: z.int32(),
    connectionId: z.int32().nullable(),
    connectionResolution: z.enum(namesOf(RESOLUTIONS)).describe('The rule that chose the connection.'),
    applicationSlug: z.string(),
    toolSlug: z.string(),
    toolVersion: z.string(),
    attempts: z.int32().describe('Calls made to the vendor, including retries.'),
    userId: z
      .string()
      .nullable()
      .describe('The user who called; null for a client of an MCP server that has no credential.'),
    source: z
      .enum(namesOf(SOURCES))
      .describe('How the call came in; `workflow` is a step of a workflow, whose run has a row of its own.'),
    mcpServerName: z
      .string()
      .nullable()
      .describe(
        'The MCP server that the call, or the run of its workflow, came through, as it was named then.',
      ),
  })
  .meta({ id: 'ExecutionInfo' });

/** The id of an execution. */
export const historyId = z.int().min(1).describe('Unique and increasing over time; gaps are possible.');

/** The result of a tool's execution. */
export const executionResult = z
  .strictObject({
    isSuccess: z.boolean().describe('Branch on this: a failure at the vendor is also a 200.'),
    output: lazyObject.describe(
      'With secrets masked as in the history: those of the connection, and what the tool’s schemas flag (`writeOnly`, `format: password`).',
    ),
    historyId: historyId.nullable().describe('Null for a dry run, which is not recorded in the history.'),
    executionInfo,
    errorMessage: z
      .string()
      .optional()
      .describe('Present when isSuccess is false; the vendor’s own text with secrets masked.'),
  })
  .meta({ id: 'ExecutionResult' });

/** One execution as the history stores it. */
export const executionRecord = z
  .strictObject({
    historyId,
    toolSlug: z.string(),
    applicationSlug: z.string(),
    connectionId: z.int32().nullable(),
    isSuccess: z.boolean(),
    errorMessage: z.string().nullable(),
    fields: lazyObject.describe('As they were sent, with secrets masked.'),
    output: lazyObject,
    executionInfo,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Execution' });

/** The result of an execution. */
export function presentResult(
  result: ExecuteToolResponse | SendRequestResponse,
): z.output<typeof executionResult> {
  return {
    isSuccess: result.isSuccess,
    output: LazyJson.object(result.outputJson),
    historyId: result.historyId === undefined ? null : Number(result.historyId),
    executionInfo: presentInfo(required(result.info)),
    ...(!result.isSuccess && { errorMessage: result.errorMessage ?? '' }),
  };
}

/** An execution of the history. */
export function presentExecution(execution: Execution): z.output<typeof executionRecord> {
  const info = presentInfo(required(execution.info));
  return {
    historyId: Number(execution.historyId),
    toolSlug: info.toolSlug,
    applicationSlug: info.applicationSlug,
    connectionId: info.connectionId,
    isSuccess: execution.isSuccess,
    errorMessage: execution.isSuccess ? null : (execution.errorMessage ?? ''),
    fields: LazyJson.object(execution.fieldsJson),
    output: LazyJson.object(execution.outputJson),
    executionInfo: info,
    createdAt: presentTime(execution.createdAt),
    updatedAt: presentTime(execution.updatedAt),
  };
}

function presentInfo(info: ExecutionInfo): z.output<typeof executionInfo> {
  return {
    startedAt: presentTime(info.startedAt),
    durationMs: info.durationMs,
    connectionId: info.connectionId ?? null,
    connectionResolution: nameOf(RESOLUTIONS, info.connectionResolution),
    applicationSlug: info.applicationSlug,
    toolSlug: info.toolSlug,
    toolVersion: info.toolVersion,
    attempts: info.attempts,
    userId: info.userId ?? null,
    // Services of the previous release send no source.
    source: nameOf(SOURCES, info.source === ExecutionSource.UNSPECIFIED ? ExecutionSource.REST : info.source),
    mcpServerName: info.mcpServerName ?? null,
  };
}
