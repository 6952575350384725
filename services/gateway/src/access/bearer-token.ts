const BEARER = /^bearer +([^ ]+) *$/i;

/** The token of an Authorization header of the scheme Bearer (RFC 6750); undefined where it is none. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
