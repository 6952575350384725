import type { OAuth2Scheme } from './model.ts';
import { oauth2Scheme } from './schema/oauth2-scheme.ts';
import type { OAuth2SchemeMembers } from './schema/oauth2-scheme.ts';

export type { OAuth2SchemeMembers } from './schema/oauth2-scheme.ts';

/**
 * An OAuth 2 scheme from its members, with the manifest's defaults for absent ones. It is for schemes outside
 * manifests, such as those of discovered endpoints. Its strings are templates: pass no values to the token client if
 * the strings come from outside. Throws ZodError for invalid members.
 */
export function defineOAuth2Scheme(members: Omit<OAuth2SchemeMembers, 'type'>): OAuth2Scheme {
  return oauth2Scheme.parse({ ...members, type: 'oauth2' });
}
