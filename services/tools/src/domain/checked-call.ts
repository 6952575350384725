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
  /** Time at which the target's connection was read, or earlier. */
  readonly readAt: Date;
  readonly inputs: Inputs;
  /** The approval that the call names. */
  readonly approval?: Approval | undefined;
  /** The fields, masked where the input schema flags secrets, and the flagged texts, which are masked wherever they are repeated. */
  readonly maskedFields: { readonly shown: FlaggedFields; readonly secrets: readonly string[] };
  /** The requested part of its output; undefined: all. */
  readonly outputFields?: OutputFields | undefined;
  /** The MCP client that the tool may address; undefined: none. */
  readonly client?: CallingClient | undefined;
  /** The answer is passed on as the whole result of an MCP server. */
  readonly takesMcpResult?: boolean | undefined;
  /** The caller is an MCP client, which gets files instead of a large result. */
  readonly takesFiles?: boolean | undefined;
  /** Deadline in milliseconds of real time. */
  readonly until: number;
  /** CallOptions.answerMs. */
  readonly answerMs?: number | undefined;
  /** The call's info at the current time. */
  info(attempts: number): ExecutionInfo;
}

/** Info of a call with this target. */
export function infoOf(
  { tool: { applicationSlug, definition }, connection, resolution }: Target,
  o: {
    readonly startedAt: Date;
    readonly clock: { now(): Date };
    readonly origin: CallOrigin;
    /** The calling user; null: none. */
    readonly userId: string | null;
    /** The restricted key of the call; undefined: none. */
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

/** The vendor's answer before masking. */
export interface VendorAnswer {
  readonly outcome: VendorOutcome;
  readonly attempts: number;
  /** The secrets of the used credentials. */
  readonly secrets: readonly string[];
  /** Masks the secrets known at the start of the call. */
  readonly masker: Masker;
}
