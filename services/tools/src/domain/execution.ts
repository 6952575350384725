import type { JsonObject } from '@fairlead/connector-model/model';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { ListPart } from '@fairlead/service-kit/page';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { CallOrigin } from './call-origin.ts';

/** Which rule chose the connection of an execution. */
export type ConnectionResolution = 'explicit' | 'toolset' | 'endUser' | 'default' | 'none';

/** The outcome of an execution; `errorMessage` is for people and masked. */
export type Outcome =
  | {
      readonly isSuccess: true;
      readonly output: JsonObject;
      /** The output, if it is large; in a row, what is kept of it. */
      readonly json?: LazyJson | undefined;
    }
  | {
      readonly isSuccess: false;
      readonly errorMessage: string;
      /** The result of an MCP server that says so. */
      readonly mcpResult?: JsonObject | undefined;
      /** The JSON-RPC error of an MCP server that is for the client of the call. */
      readonly mcpError?: JsonObject | undefined;
    };

/** The result of an execution, for its caller. */
export interface ExecutionResult {
  readonly outcome: Outcome;
  /** Absent for a dry run. */
  readonly historyId: number | undefined;
  readonly info: ExecutionInfo;
  /** Whether the output is the whole result of an MCP server. Default: no. */
  readonly isMcpResult?: boolean | undefined;
}

/** The outcome of a call whose output could not be masked. */
export const NOT_MASKED = {
  isSuccess: false,
  errorMessage:
    'The call was made, but its result could not be searched for secrets in time. Ask for less at once.',
} as const satisfies Outcome;

/** The outcome of a vendor's call, not yet masked; of a large output that is not built, to read `output` builds it. */
export type VendorOutcome = Outcome & { readonly unbuilt?: UnbuiltOutput };

/** The outcome of a call that succeeded, with a large output, which is built when it is first read. */
export function largeSuccess(json: LazyJson): Extract<Outcome, { readonly isSuccess: true }> {
  let output: JsonObject | undefined;
  return {
    isSuccess: true,
    json,
    get output() {
      // A worker wrote it of an object.
      output ??= JSON.parse(json.text) as JsonObject;
      return output;
    },
  };
}

/** The outcome of a call that succeeded, with an output that is built when it is first read if it is large. */
export function successOf(masked: {
  readonly value: JsonObject;
  readonly json: LazyJson | undefined;
}): Outcome {
  const { json } = masked;
  if (json === undefined) return { isSuccess: true, output: masked.value };
  return {
    isSuccess: true,
    json,
    get output() {
      return masked.value;
    },
  };
}

const texts = new WeakMap<JsonObject, string>();

/** The JSON text of an output; that of a small one is written once, for its row and for its caller. */
export function outputText(outcome: Extract<Outcome, { readonly isSuccess: true }>): string {
  if (outcome.json !== undefined) return outcome.json.text;
  const { output } = outcome;
  const text = texts.get(output) ?? JSON.stringify(output);
  texts.set(output, text);
  return text;
}

/** How an execution ran. */
export interface ExecutionInfo extends CallOrigin {
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
  /** The user who called; null: a client of an MCP server that has no credential. */
  readonly userId: string | null;
  /** The API key that made it, if that is confined to a toolset; otherwise absent. */
  readonly keyId?: string | undefined;
}

/** The content of a finished execution's history row; secrets are masked and sizes are bounded. */
export interface ExecutionRecord {
  readonly fields: JsonObject;
  readonly outcome: Outcome;
  readonly info: ExecutionInfo;
  /** Where the output does not match the tool's output schema; empty if it matches or there is no output. */
  readonly outputMismatch: readonly FieldIssue[];
}

/** The outcome of a row, of which nothing is parsed. */
export type StoredOutcome =
  | { readonly isSuccess: true; readonly output: LazyJson }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** A row of the history. Its JSON is passed on as it is stored. */
export interface Execution {
  readonly historyId: number;
  readonly fields: LazyJson;
  readonly outcome: StoredOutcome;
  readonly info: ExecutionInfo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A page of the history, or its beginning. */
export type ExecutionList = ListPart<Execution>;

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
  /** The confined API key that made them. */
  readonly keyId?: string | undefined;
  readonly isSuccess?: boolean | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

const RETENTION_DAYS = 90;

/** How long a history row is kept, in seconds. Source: row completion.applications-and-tools.58. */
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
