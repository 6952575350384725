import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@fairlead/service-kit/secret';
import { bearerToken } from '@fairlead/access/bearer-token';

/**
 * Returns whether headers carry the operator's key, in `x-api-key` or as a bearer token, which takes precedence as
 * everywhere. Takes the same time whatever was sent. Without a configured key, always false.
 */
export function operatorCheck(key: Secret | undefined): (headers: IncomingHttpHeaders) => boolean {
  if (key === undefined) return () => false;
  const expected = digest(key.reveal());
  return (headers) => {
    const sent = headers.authorization ? bearerToken(headers.authorization) : headers['x-api-key'];
    return typeof sent === 'string' && timingSafeEqual(digest(sent), expected);
  };
}

/** Digests of equal length, as the comparison requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
