/**
 * A token request without tokens as its result. `refused`: the vendor's refusal is final (invalid_grant,
 * invalid_client, access_denied, …). `unavailable`: the vendor could not be reached, or failed temporarily. `message`
 * is the vendor's text without secrets.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly kind: 'refused' | 'unavailable';
  /** The vendor's error code (RFC 6749 section 5.2), such as `invalid_client`; undefined if it sent none. */
  readonly code: string | undefined;

  constructor(
    kind: 'refused' | 'unavailable',
    message: string,
    options: { readonly code?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = options.code;
  }
}
