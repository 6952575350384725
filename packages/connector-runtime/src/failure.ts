import type { JsonObject } from '@fairlead/connector-model/json';

/**
 * Maximum length of a vendor's text in a failure, in characters. It is far above the length that people see: secrets
 * are masked after this cut, and a secret that is cut in the middle could not be recognised.
 */
export const MAX_QUOTED_LENGTH = 64 * 1024;

/**
 * A call without a result, for a reason that its caller may read: the vendor refused or could not be reached, or the
 * inputs make no valid request. It becomes an outcome with `isSuccess: false`; any other error is a defect. It has no
 * stack, because V8 needs as much time to write the stack as the rest of the handling takes.
 */
export class CallFailure extends Error {
  override readonly name: string = 'CallFailure';
  /** The vendor refused the credential itself. */
  readonly isUnauthorized: boolean;
  /** The MCP server does not know the tool that was called. */
  readonly isToolUnknown: boolean;
  /** Time for which the vendor refuses further calls of the credential; undefined: the vendor states none. */
  readonly limitedForMs: number | undefined;
  /** The MCP server's result that reports the tool's failure, if the call takes such results. */
  readonly mcpResult: JsonObject | undefined;
  /** The MCP server's JSON-RPC error, if the call's client has to see it. */
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

/** The vendor's refusal, quoted unchanged. It is put on one line after its secrets are masked. */
export class VendorRefusal extends CallFailure {
  override readonly name = 'VendorRefusal';
  /** Whether the vendor may have refused the call because a scope was not granted. */
  readonly isAboutAccess: boolean;

  constructor(
    message: string,
    options: ConstructorParameters<typeof CallFailure>[1] & { readonly isAboutAccess?: boolean } = {},
  ) {
    super(message, options);
    this.isAboutAccess = options.isAboutAccess ?? false;
  }
}

/** Nothing was executed, because `beforeSend` rejected: the caller no longer permitted the request. */
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
