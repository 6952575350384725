import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';

/** Which rule chose the connection of an execution. */
export type ConnectionResolution = 'explicit' | 'toolset' | 'endUser' | 'default' | 'none';

/** The outcome of an execution; `errorMessage` is for people and masked. */
export type Outcome =
  | { readonly isSuccess: true; readonly output: JsonObject }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** How an execution ran. */
export interface ExecutionInfo {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null for a workflow, whose steps have connections. */
  readonly connectionId: number | null;
  readonly connectionResolution: ConnectionResolution;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  readonly toolVersion: string;
  /** Calls sent to the vendor, including retries. */
  readonly attempts: number;
}

/** The content of a finished execution's history row; secrets are masked and sizes are bounded. */
export interface ExecutionRecord {
  readonly fields: JsonObject;
  readonly outcome: Outcome;
  readonly info: ExecutionInfo;
  /** Where the output does not match the tool's output schema; empty if it matches or there is no output. */
  readonly outputMismatch: readonly FieldIssue[];
}

/** A row of the history. */
export interface Execution extends Omit<ExecutionRecord, 'outputMismatch'> {
  readonly historyId: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A page of the history; `totalCount` counts over all pages. */
export interface ExecutionList {
  readonly items: readonly Execution[];
  readonly totalCount: number;
}

/** The number of executions of a UTC day. */
export interface ExecutionDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly executionCount: number;
}

/** Which rows of the history are requested; all conditions must hold. */
export interface ExecutionFilter {
  readonly toolSlug?: string | undefined;
  readonly connectionId?: number | undefined;
  readonly isSuccess?: boolean | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

const RETENTION_DAYS = 90;

/** How long a history row is kept, in seconds. Source: completion.md "Applications and tools". */
export const RETENTION_SECONDS = RETENTION_DAYS * 24 * 60 * 60;

/** The earliest creation time of rows that are kept at `now`; older ones count as gone, even if not yet removed. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_SECONDS * 1_000);
}

/** The start of a requested period, but not before the earliest rows that are kept at `now`. */
export function keptFrom(from: Date | undefined, now: Date): Date {
  const since = keptSince(now);
  return from !== undefined && from > since ? from : since;
}

/**
 * The outcome of a row while its call runs. It stays if the process dies meanwhile, so that a call that may have had
 * effects is never missing from the history.
 */
export const UNSETTLED_OUTCOME = {
  isSuccess: false,
  errorMessage:
    'The outcome is unknown: the call is still running, or was interrupted before its outcome was recorded.',
} as const satisfies Outcome;
