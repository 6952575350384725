/**
 * A call without a result, for a reason that its caller may read: the vendor refused or could not be reached, or the
 * inputs do not make a valid request. Becomes an outcome with `isSuccess: false`; any other error is a defect.
 */
export class CallFailure extends Error {
  override readonly name: string = 'CallFailure';
  /** The vendor refused the credential itself. */
  readonly isUnauthorized: boolean;

  constructor(
    message: string,
    options: { readonly isUnauthorized?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isUnauthorized = options.isUnauthorized ?? false;
  }
}

/** Nothing was executed, because too many other calls are running; the same call may succeed soon. */
export class OverloadError extends CallFailure {
  override readonly name = 'OverloadError';
}
