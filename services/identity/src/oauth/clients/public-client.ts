import type { AllClientMetadata } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { z } from 'zod';
import { ACCOUNT_PROPERTY, SCOPES_PROPERTY } from '../../domain/client-properties.ts';

/** The grant types that a self-registered client, or one described by a document, may have. */
const PUBLIC_GRANTS = ['authorization_code', 'refresh_token'] as const;

const MAX_REDIRECT_URIS = 20;
const MAX_URI_LENGTH = 2000;
const MAX_NAME_LENGTH = 200;

const webAddress = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URI_LENGTH)
  .optional()
  .catch(undefined);

/** The members of a registration that are read; others are ignored (RFC 7591 lets a server ignore what it does not understand). */
const registration = z.object({
  redirect_uris: z.array(z.string().max(MAX_URI_LENGTH)).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
  grant_types: z.array(z.string()).optional(),
  client_uri: webAddress,
  logo_uri: webAddress,
  policy_uri: webAddress,
  tos_uri: webAddress,
});

/**
 * Turns registration metadata (RFC 7591) into a public client for the authorization code, whatever authentication it requests; the response
 * reports the change. Throws invalid_redirect_uri or invalid_client_metadata, also for a client that needs another grant type.
 */
export function readRegistration(body: unknown): AllClientMetadata {
  const parsed = registration.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    // The library derives the error code from the first word of the message.
    throw new errors.InvalidClientMetadata(`${issue?.path.join('.') || 'the body'}: ${issue?.message ?? ''}`);
  }
  const { grant_types: grantTypes, ...metadata } = parsed.data;
  return {
    ...metadata,
    grant_types: grantsOf(grantTypes ?? PUBLIC_GRANTS),
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: applicationType(metadata.redirect_uris),
  };
}

/** Members of a client's document that would give it more rights than allowed, or make us fetch further documents. */
const IGNORED_MEMBERS = [
  SCOPES_PROPERTY,
  ACCOUNT_PROPERTY,
  'scope',
  'jwks',
  'jwks_uri',
  'sector_identifier_uri',
  'default_max_age',
  'require_auth_time',
  'subject_type',
  'id_token_signed_response_alg',
  'post_logout_redirect_uris',
] as const;

/** Restricts a client's document, in place, to the rights of a public client. */
export function narrowDocument(metadata: Record<string, unknown>): void {
  for (const member of IGNORED_MEMBERS) delete metadata[member];
  const redirectUris = z.array(z.string()).safeParse(metadata['redirect_uris']);
  if (redirectUris.success) metadata['application_type'] = applicationType(redirectUris.data);
  const grantTypes = z.array(z.string()).safeParse(metadata['grant_types']);
  if (grantTypes.success) metadata['grant_types'] = grantsOf(grantTypes.data);
  metadata['response_types'] = ['code'];
}

function grantsOf(grantTypes: readonly string[]): readonly string[] {
  const granted = PUBLIC_GRANTS.filter((grant) => grantTypes.includes(grant));
  if (granted.includes('authorization_code')) return granted;
  throw new errors.InvalidClientMetadata('grant_types must contain authorization_code');
}

/**
 * An address on the user's own machine makes a client native: any port of a loopback address is accepted (RFC 8252
 * section 7.3), and consent is required each time.
 */
function applicationType(redirectUris: readonly string[]): 'native' | 'web' {
  return redirectUris.some((uri) => !uri.toLowerCase().startsWith('https://')) ? 'native' : 'web';
}
