import type { JsonObject } from '@fairlead/connector-model/json';
import type { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { ListPart } from '@fairlead/service-kit/page';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { CallOrigin } from './call-origin.ts';

/** The rule that selected the connection of an execution. */
export type ConnectionResolution = 'explicit' | 'toolset' | 'endUser' | 'default' | 'none';

/** The outcome of an execution; `errorMessage` is for people and masked. */
export type Outcome =
  | {
      readonly isSuccess: true;
      readonly output: JsonObject;
      /** The output if it is large; in a row, its stored part. */
      readonly json?: LazyJson | undefined;
    }
  | {
      readonly isSuccess: false;
      readonly errorMessage: string;
      /** The result of an MCP server that reports an error. */
      readonly mcpResult?: JsonObject | undefined;
      /** The JSON-RPC error of an MCP server, which is passed on to the client. */
      readonly mcpError?: JsonObject | undefined;
    };

/** The result of an execution, for its caller. */
export interface ExecutionResult {
  readonly outcome: Outcome;
  /** Absent for a dry run. */
  readonly historyId: number | undefined;
  readonly info: ExecutionInfo;
  /** Whether the output is the complete result of an MCP server. Default: no. */
  readonly isMcpResult?: boolean | undefined;
}

/** The failure of a call whose output could not be masked. */
export const NOT_MASKED = {
  isSuccess: false,
  errorMessage:
    'The call was made, but its result could not be searched for secrets in time. Ask for less at once.',
} as const satisfies Outcome;

/** The outcome of a vendor's call before masking; reading `output` parses a large output. */
export type VendorOutcome = Outcome & { readonly unbuilt?: UnbuiltOutput };

/** The success of a call with a large output, which is parsed when it is first read. */
export function largeSuccess(json: LazyJson): Extract<Outcome, { readonly isSuccess: true }> {
  let output: JsonObject | undefined;
  return {
    isSuccess: true,
    json,
    get output() {
      // The worker serialized an object.
      output ??= JSON.parse(json.text) as JsonObject;
      return output;
    },
  };
}

/** The success of a call; its output is parsed when first read if it is large. */
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

/** The JSON text of an output; a small one is serialized once, for row and caller. */
export function outputText(outcome: Extract<Outcome, { readonly isSuccess: true }>): string {
  if (outcome.json !== undefined) return outcome.json.text;
  const { output } = outcome;
  const text = texts.get(output) ?? JSON.stringify(output);
  texts.set(output, text);
  return text;
}

/** Facts about how an execution ran. */
export interface ExecutionInfo extends CallOrigin {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null for a workflow; its steps have connections. */
  readonly connectionId: number | null;
  readonly connectionResolution: ConnectionResolution;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  readonly toolVersion: string;
  /** Number of requests to the vendor, retries included. */
  readonly attempts: number;
  /** The calling user; null: an anonymous client of an MCP server. */
  readonly userId: string | null;
  /** The restricted API key that made the call; otherwise absent. */
  readonly keyId?: string | undefined;
}

/** Content of a finished execution's history row; secrets are masked, sizes are limited. */
export interface ExecutionRecord {
  readonly fields: JsonObject;
  readonly outcome: Outcome;
  readonly info: ExecutionInfo;
  /** Where the output violates the tool's output schema; empty if it matches, or without output. */
  readonly outputMismatch: readonly FieldIssue[];
}

/** The outcome of a row, with unparsed JSON. */
export type StoredOutcome =
  | { readonly isSuccess: true; readonly output: LazyJson }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** A row of the history. Its JSON is passed on as stored. */
export interface Execution {
  readonly historyId: number;
  readonly fields: LazyJson;
  readonly outcome: StoredOutcome;
  readonly info: ExecutionInfo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A page of the history, or the first part of it. */
export type ExecutionList = ListPart<Execution>;

/** Number of executions on a UTC day. */
export interface ExecutionDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly executionCount: number;
}

/** Filters of the history; all must match. */
export interface ExecutionFilter {
  readonly toolSlug?: string | undefined;
  readonly connectionId?: number | undefined;
  /** Only calls made with this restricted API key. */
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

/** Rows created before this time count as deleted at `now`, even if they still exist. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_SECONDS * 1_000);
}

/** The start of a requested period, limited to rows that are still kept at `now`. */
export function keptFrom(from: Date | undefined, now: Date): Date {
  const since = keptSince(now);
  return from !== undefined && from > since ? from : since;
}

/**
 * The outcome of a row while its call runs. It stays if the process dies, so that a call that may have had effects is never missing from
 * the history.
 */
export const UNSETTLED_OUTCOME = {
  isSuccess: false,
  errorMessage:
    'The outcome is unknown: the call is still running, or was interrupted before its outcome was recorded.',
} as const satisfies Outcome;
