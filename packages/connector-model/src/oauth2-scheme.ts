import type { OAuth2Scheme } from './model.ts';
import { oauth2Scheme } from './schema/oauth2-scheme.ts';
import type { OAuth2SchemeMembers } from './schema/oauth2-scheme.ts';

export type { OAuth2SchemeMembers } from './schema/oauth2-scheme.ts';

/**
 * An OAuth 2 scheme from its members, with the manifest's defaults for absent ones: for schemes that no manifest holds,
 * such as one of endpoints that are discovered. Its strings are templates: give the token client no values if they come from
 * outside. Throws ZodError for invalid members.
 */
export function defineOAuth2Scheme(members: Omit<OAuth2SchemeMembers, 'type'>): OAuth2Scheme {
  return oauth2Scheme.parse({ ...members, type: 'oauth2' });
}
