/**
 * A token request without tokens. `refused`: the vendor said no and will say so again (invalid_grant, invalid_client,
 * access_denied, …). `unavailable`: it could not be asked, or not now. `message` is the vendor's text; no secret in it.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly kind: 'refused' | 'unavailable';
  /** The vendor's error code (RFC 6749 section 5.2), such as `invalid_client`; undefined where it named none. */
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
