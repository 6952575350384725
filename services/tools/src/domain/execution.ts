import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';

/** Which rule chose the connection of an execution. */
export type ConnectionResolution = 'explicit' | 'default';

/** What came of an execution; `errorMessage` is for people and masked. */
export type Outcome =
  | { readonly isSuccess: true; readonly output: JsonObject }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** How an execution ran. */
export interface ExecutionInfo {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly connectionId: number;
  readonly connectionResolution: ConnectionResolution;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  readonly toolVersion: string;
  /** Calls made to the vendor, retries included. */
  readonly attempts: number;
}

/** What the history row of an ended execution holds; secrets are masked and sizes are bounded. */
export interface ExecutionRecord {
  readonly fields: JsonObject;
  readonly outcome: Outcome;
  readonly info: ExecutionInfo;
  /** Where the output does not fit the tool's output schema; empty where it does or there is none. */
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

/** How many executions a UTC day has. */
export interface ExecutionDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly executionCount: number;
}

/** Which rows of the history are asked for; all conditions must hold. */
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

/** The creation time from which on rows are still kept at `now`; older ones are gone, whether removed yet or not. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_SECONDS * 1_000);
}

/** The beginning of a period that rows are asked for: never before those that are still kept at `now`. */
export function keptFrom(from: Date | undefined, now: Date): Date {
  const since = keptSince(now);
  return from !== undefined && from > since ? from : since;
}

/**
 * The outcome of a row between its start and its end. It stays where the process died in between, so that a call that may
 * have had effects is never missing from the history.
 */
export const UNSETTLED_OUTCOME = {
  isSuccess: false,
  errorMessage:
    'The outcome is not known: the call is still running, or was interrupted before its end was recorded.',
} as const satisfies Outcome;
