import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@fairlead/service-kit/secret';
import { bearerToken } from '../access/bearer-token.ts';

/**
 * Tells whether headers carry the operator's key, in `x-api-key` or as a bearer token, which wins as everywhere. Takes
 * the same time whatever was sent. No key set: nobody is the operator.
 */
export function operatorCheck(key: Secret | undefined): (headers: IncomingHttpHeaders) => boolean {
  if (key === undefined) return () => false;
  const expected = digest(key.reveal());
  return (headers) => {
    const sent = headers.authorization ? bearerToken(headers.authorization) : headers['x-api-key'];
    return typeof sent === 'string' && timingSafeEqual(digest(sent), expected);
  };
}

/** Of one length, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
