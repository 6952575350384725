import type { IncomingHttpHeaders } from 'node:http';
import { PLAIN_CHALLENGE } from '@fairlead/service-kit/http/exchange';

/** The `WWW-Authenticate` challenges of a protected resource (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenges {
  /** For a request without a valid credential. If it sent a bearer token, the challenge says that the token is invalid. */
  unauthorized(headers: IncomingHttpHeaders): string;
  /** For a bearer token without these scopes (separated by spaces). */
  insufficientScope(scopes: string): string;
}

/** The challenges with the URL of the resource metadata; equal for all requests. */
export function createChallenges(metadataUrl: string): Challenges {
  const base = `${PLAIN_CHALLENGE}, resource_metadata="${metadataUrl}"`;
  const invalid = `${base}, error="invalid_token"`;
  return {
    unauthorized: ({ authorization = '' }) => (/^bearer\s/i.test(authorization) ? invalid : base),
    insufficientScope: (scopes) => `${base}, error="insufficient_scope", scope="${scopes}"`,
  };
}
