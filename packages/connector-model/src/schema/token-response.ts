import { z } from 'zod';
import { jsonPointer } from './request.ts';

const pointers = z.array(jsonPointer).min(1).max(10);

/** Error codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 7009 section 2.2.1, RFC 6750 section 3.1. */
const STANDARD_CODES = [
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_token',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
] as const;

/** Names of the members in a token endpoint's response. */
export const tokenResponseMapping = z
  .strictObject({
    accessTokenPointers: pointers
      .default(['/access_token'])
      .describe('Pointers to the access token; the first match is used.'),
    refreshTokenPointers: pointers
      .default(['/refresh_token'])
      .describe('Pointers to the refresh token; the first match is used.'),
    expiryPointers: pointers
      .default(['/expires_in'])
      .describe('Pointers to the time at which the access token expires; the first match is used.'),
    expiryFormat: z
      .enum(['seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds', 'dateTime'])
      .default('seconds')
      .describe(
        'What is there: the lifetime in seconds or milliseconds, or the time as a number since 1970 or as an RFC 3339 text.',
      ),
    scopePointers: pointers
      .default(['/scope'])
      .describe('Pointers to the granted scopes; the first match is used.'),
    errorCodePointers: pointers
      .default(['/error'])
      .describe('Pointers to the error code, whatever the status is; the first match is used.'),
    errorMessagePointers: pointers
      .default(['/error_description', '/message'])
      .describe('Pointers to the error message; the first match is used.'),
    errorCodes: z
      .record(z.string(), z.enum(STANDARD_CODES))
      .default({})
      .describe(
        "The OAuth error code for each of the vendor's own. invalid_grant ends a connection's sign-in; invalid_client is the client's fault.",
      ),
  })
  .describe('Where the response of a token endpoint holds what.');
