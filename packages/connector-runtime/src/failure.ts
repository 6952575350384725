/**
 * A call that ended without a result for a reason its caller may read: the vendor refused, could not be reached, or the
 * inputs make no valid request. Becomes an outcome with `isSuccess: false`; anything else that is thrown is a defect.
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
