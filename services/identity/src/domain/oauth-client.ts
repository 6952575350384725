import type { ACCOUNT_CLIENT_GRANTS } from '@fairlead/access/client-grants';
import { validationError } from '@fairlead/errors/api-error';
import type { Scope } from '@fairlead/access/permissions';

export type AccountClientGrant = (typeof ACCOUNT_CLIENT_GRANTS)[number];

/** A confidential client of an account, without its secret. */
export interface OAuthClient {
  /** The client id: `client_…` */
  readonly id: string;
  readonly accountId: string;
  /** The user that its client credentials act as. */
  readonly userId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly AccountClientGrant[];
  /** Scopes that it may request. Its tokens never have more permissions than its user. */
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A client to create. */
export interface NewOAuthClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly AccountClientGrant[];
  readonly scopes: readonly Scope[];
  /** Absent: the caller. */
  readonly userId?: string | undefined;
}

/** The most clients that an account can have. */
export const MAX_CLIENTS = 100;

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Throws VALIDATION_ERROR for a client that could never get a token, or whose codes others could receive. A redirect address must be https,
 * or http on a loopback address; requests must repeat it exactly.
 */
export function checkNewClient({ grantTypes, redirectUris, scopes }: NewOAuthClient): void {
  const isInteractive = grantTypes.includes('authorization_code');
  if (grantTypes.length === 0) throw validationError({ field: 'grantTypes', issue: 'needs at least one' });
  if (scopes.length === 0) throw validationError({ field: 'scopes', issue: 'needs at least one' });
  if (grantTypes.includes('refresh_token') && !isInteractive) {
    throw validationError({ field: 'grantTypes', issue: 'refresh_token needs authorization_code' });
  }
  if (isInteractive === (redirectUris.length === 0)) {
    const issue = isInteractive ? 'authorization_code needs at least one' : 'only authorization_code has any';
    throw validationError({ field: 'redirectUris', issue });
  }
  const wrong = redirectUris.flatMap((uri, index) =>
    isConfidentialRedirectUri(uri) ? [] : [{ field: `redirectUris[${index}]`, issue: WRONG_REDIRECT }],
  );
  if (wrong.length > 0) throw validationError(...wrong);
}

const WRONG_REDIRECT = 'must be an https address, or an http address of this computer, without a fragment';

function isConfidentialRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[#*\s]/.test(text) || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
}
