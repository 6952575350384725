const BEARER = /^bearer +([^ ]+) *$/i;

/** The token of an Authorization header with the scheme Bearer (RFC 6750); undefined for any other header. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
