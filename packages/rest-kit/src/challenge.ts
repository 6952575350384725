import type { IncomingHttpHeaders } from 'node:http';
import { PLAIN_CHALLENGE } from '@fairlead/service-kit/http/exchange';
import type { Requirement } from '@fairlead/access/permissions';
import { API_METADATA_PATH } from '@fairlead/access/well-known';

/** The challenges of the API at `publicUrl` (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenges {
  /** For a request without a valid credential; reports a sent bearer token as invalid. */
  unauthorized(headers: IncomingHttpHeaders): string;
  /** For a bearer token whose scopes lack `requirement`. */
  insufficientScope(requirement: Requirement): string;
}

/** Creates the challenges, once per edge: the texts do not depend on a request. */
export function createChallenges(publicUrl: string): Challenges {
  const base = `${PLAIN_CHALLENGE}, resource_metadata="${publicUrl}${API_METADATA_PATH}"`;
  const invalid = `${base}, error="invalid_token"`;
  return {
    unauthorized: ({ authorization = '' }) => (/^bearer\s/i.test(authorization) ? invalid : base),
    insufficientScope: (requirement) => `${base}, error="insufficient_scope", scope="${requirement}"`,
  };
}
