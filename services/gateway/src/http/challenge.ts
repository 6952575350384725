import type { IncomingHttpHeaders } from 'node:http';
import { PLAIN_CHALLENGE } from '@fairlead/service-kit/http/exchange';
import type { Requirement } from '../access/permissions.ts';

/** The challenges of the API at `publicUrl` (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenges {
  /** For a request without a valid credential; a bearer that it sent is called invalid. */
  unauthorized(headers: IncomingHttpHeaders): string;
  /** For a bearer whose scopes lack `requirement`. */
  insufficientScope(requirement: Requirement): string;
}

/** Made once an edge: the texts hold nothing of a request. */
export function createChallenges(publicUrl: string): Challenges {
  const base = `${PLAIN_CHALLENGE}, resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  const invalid = `${base}, error="invalid_token"`;
  return {
    unauthorized: ({ authorization = '' }) => (/^bearer\s/i.test(authorization) ? invalid : base),
    insufficientScope: (requirement) => `${base}, error="insufficient_scope", scope="${requirement}"`,
  };
}
