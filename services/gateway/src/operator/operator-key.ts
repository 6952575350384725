import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@fairlead/service-kit/secret';
import { bearerToken } from '@fairlead/access/bearer-token';

/**
 * Returns whether headers carry the operator's key, in `x-api-key` or as a bearer token, which takes precedence. The comparison takes
 * constant time. Without a configured key, always false.
 */
export function operatorCheck(key: Secret | undefined): (headers: IncomingHttpHeaders) => boolean {
  const isKey = keyCheck(key);
  return ({ authorization, 'x-api-key': sent }) => isKey(authorization ? bearerToken(authorization) : sent);
}

/**
 * Returns whether headers carry the operator's key beside an account's credential: in the header that the credential leaves free, or in
 * `x-operator-key`. It gives no access to the account's data.
 */
export function carriesOperatorKey(key: Secret | undefined): (headers: IncomingHttpHeaders) => boolean {
  const isKey = keyCheck(key);
  return ({ authorization, 'x-api-key': sent, 'x-operator-key': own }) =>
    isKey(own) || isKey(sent) || (authorization !== undefined && isKey(bearerToken(authorization)));
}

function keyCheck(key: Secret | undefined): (sent: unknown) => boolean {
  if (key === undefined) return () => false;
  const expected = digest(key.reveal());
  return (sent) => typeof sent === 'string' && timingSafeEqual(digest(sent), expected);
}

/** Compares digests, because the comparison requires equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
