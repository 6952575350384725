import type { IncomingHttpHeaders } from 'node:http';
import { PLAIN_CHALLENGE } from '@fairlead/service-kit/http/exchange';

/** The challenges of a protected resource (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenges {
  /** For a request without a valid credential; reports a sent bearer token as invalid. */
  unauthorized(headers: IncomingHttpHeaders): string;
  /** For a bearer token that lacks these scopes, which are separated by spaces. */
  insufficientScope(scopes: string): string;
}

/** The challenges that name the address of the resource's metadata. They do not depend on a request. */
export function createChallenges(metadataUrl: string): Challenges {
  const base = `${PLAIN_CHALLENGE}, resource_metadata="${metadataUrl}"`;
  const invalid = `${base}, error="invalid_token"`;
  return {
    unauthorized: ({ authorization = '' }) => (/^bearer\s/i.test(authorization) ? invalid : base),
    insufficientScope: (scopes) => `${base}, error="insufficient_scope", scope="${scopes}"`,
  };
}
