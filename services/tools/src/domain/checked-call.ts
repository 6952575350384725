import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import type { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { Approval } from './approval.ts';
import type { CallOrigin } from './call-origin.ts';
import type { ExecutionInfo, VendorOutcome } from './execution.ts';
import type { OutputFields } from './output-fields.ts';
import type { Inputs } from './query.ts';
import type { Target } from './target.ts';

/** A call that has been resolved, authorised and validated. */
export interface CheckedCall {
  readonly target: Target;
  readonly origin: CallOrigin;
  /** The connection of the target was read then, or later. */
  readonly readAt: Date;
  readonly inputs: Inputs;
  /** The approval that the call names. */
  readonly approval?: Approval | undefined;
  /** The fields, which are masked where the input schema flags them, and the texts that are masked wherever they are repeated. */
  readonly maskedFields: { readonly shown: FlaggedFields; readonly secrets: readonly string[] };
  /** The part of its output that is returned; undefined: all. */
  readonly outputFields?: OutputFields | undefined;
  /** The MCP client that the tool may address; undefined: none. */
  readonly client?: CallingClient | undefined;
  /** Its answer is the whole result of an MCP server. */
  readonly takesMcpResult?: boolean | undefined;
  /** Its caller is an MCP client, who gets files in place of a large result. */
  readonly takesFiles?: boolean | undefined;
  /** Its deadline in milliseconds of real time. */
  readonly until: number;
  /** CallOptions.answerMs. */
  readonly answerMs?: number | undefined;
  /** The info as of now. */
  info(attempts: number): ExecutionInfo;
}

/** The info of a call with this target. */
export function infoOf(
  { tool: { applicationSlug, definition }, connection, resolution }: Target,
  o: {
    readonly startedAt: Date;
    readonly clock: { now(): Date };
    readonly origin: CallOrigin;
    /** The user who calls; null: none. */
    readonly userId: string | null;
    /** The confined key that it is made with; undefined: none. */
    readonly keyId: string | undefined;
  },
): CheckedCall['info'] {
  return (attempts) => ({
    startedAt: o.startedAt,
    durationMs: Math.max(0, o.clock.now().getTime() - o.startedAt.getTime()),
    connectionId: connection.id,
    connectionResolution: resolution,
    applicationSlug,
    toolSlug: definition.toolSlug,
    toolVersion: definition.version,
    attempts,
    userId: o.userId,
    ...o.origin,
    ...(o.keyId !== undefined && { keyId: o.keyId }),
  });
}

/** The answer of the vendor, not yet masked. */
export interface VendorAnswer {
  readonly outcome: VendorOutcome;
  readonly attempts: number;
  /** The secrets of the credentials that were used. */
  readonly secrets: readonly string[];
  /** Knows the secrets of the call as it began. */
  readonly masker: Masker;
}
