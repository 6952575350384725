import type { JsonObject } from '@fairlead/connector-model/model';

/**
 * Maximum length of a vendor's text in a failure, in characters. It is far above what people are shown, because secrets are
 * masked afterwards: a text that is cut in the middle of one would show its beginning.
 */
export const MAX_QUOTED_LENGTH = 64 * 1024;

/**
 * A call without a result, for a reason that its caller may read: the vendor refused or could not be reached, or the
 * inputs do not make a valid request. Becomes an outcome with `isSuccess: false`; any other error is a defect. It has no stack:
 * nobody reads that of an outcome, and V8 takes as long to write it as for all else that is done with one.
 */
export class CallFailure extends Error {
  override readonly name: string = 'CallFailure';
  /** The vendor refused the credential itself. */
  readonly isUnauthorized: boolean;
  /** The MCP server does not know the tool that was called. */
  readonly isToolUnknown: boolean;
  /** How long the vendor takes no further call of the credential; undefined: it says nothing of the kind. */
  readonly limitedForMs: number | undefined;
  /** The result of the MCP server, which says that the tool failed; if the call takes such results. */
  readonly mcpResult: JsonObject | undefined;
  /** The JSON-RPC error of the MCP server, if it is for the client of the call. */
  readonly mcpError: JsonObject | undefined;

  constructor(
    message: string,
    options: {
      readonly isUnauthorized?: boolean;
      readonly isToolUnknown?: boolean;
      readonly limitedForMs?: number | undefined;
      readonly mcpResult?: JsonObject | undefined;
      readonly mcpError?: JsonObject | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.isUnauthorized = options.isUnauthorized ?? false;
    this.isToolUnknown = options.isToolUnknown ?? false;
    this.limitedForMs = options.limitedForMs;
    this.mcpResult = options.mcpResult;
    this.mcpError = options.mcpError;
  }
}

/** A response that the vendor refused the call with, quoted as it came: it is shown in one line once its secrets are masked. */
export class VendorRefusal extends CallFailure {
  override readonly name = 'VendorRefusal';
  /** The vendor may refuse the call because a scope was not granted. */
  readonly isAboutAccess: boolean;

  constructor(
    message: string,
    options: ConstructorParameters<typeof CallFailure>[1] & { readonly isAboutAccess?: boolean } = {},
  ) {
    super(message, options);
    this.isAboutAccess = options.isAboutAccess ?? false;
  }
}

/** Nothing was executed: when the request that acts was to be sent, the caller did not permit it any more (`beforeSend`). */
export class WithdrawnError extends CallFailure {
  override readonly name = 'WithdrawnError';

  constructor(cause?: unknown) {
    super('The call was not sent: it is no longer permitted as it was checked.', { cause });
  }
}

/** Nothing was executed, because too many other calls are running; the same call may succeed soon. */
export class OverloadError extends CallFailure {
  override readonly name = 'OverloadError';
}
