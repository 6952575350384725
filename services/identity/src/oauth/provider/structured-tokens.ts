import { randomBytes } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import type { AccessToken } from '@fairlead/access/access-token';

/** The kinds of access tokens, as the library names them. */
export type AccessTokenKind = 'AccessToken' | 'ClientCredentials';

const HANDLE_BYTES = 32;

/**
 * Access tokens that are being introspected or revoked. They are JWTs, which the library does not store and would therefore not find. For
 * the duration of such a request a verified token gets a handle, under which the library finds it like a stored token. A handle cannot be
 * guessed.
 */
export interface StructuredTokens {
  /** Gives the token a handle while `work` runs. */
  during<T>(token: AccessToken, work: (handle: string) => Promise<T>): Promise<T>;
  /** The token with that handle, if it has that kind. */
  find(kind: AccessTokenKind, handle: string): AdapterPayload | undefined;
  /** The token with that `jti`, if it has a handle. */
  byId(tokenId: string): AccessToken | undefined;
}

/** Creates an empty set. */
export function createStructuredTokens(): StructuredTokens {
  const byHandle = new Map<string, AccessToken>();
  return {
    async during(token, work) {
      const handle = randomBytes(HANDLE_BYTES).toString('base64url');
      byHandle.set(handle, token);
      try {
        return await work(handle);
      } finally {
        byHandle.delete(handle);
      }
    },
    find(kind, handle) {
      const token = byHandle.get(handle);
      return token === undefined || kindOf(token) !== kind ? undefined : payloadOf(token, kind);
    },
    byId: (tokenId) => [...byHandle.values()].find((token) => token.tokenId === tokenId),
  };
}

function kindOf({ grantId }: AccessToken): AccessTokenKind {
  return grantId === undefined ? 'ClientCredentials' : 'AccessToken';
}

function payloadOf(token: AccessToken, kind: AccessTokenKind): AdapterPayload {
  return {
    kind,
    jti: token.tokenId,
    iat: token.issuedAt.getTime() / 1000,
    exp: token.expiresAt.getTime() / 1000,
    clientId: token.clientId,
    aud: token.audience,
    scope: token.scopes.join(' '),
    extra: {
      account_id: token.accountId,
      user_id: token.userId,
      ...(token.grantId !== undefined && { grant_id: token.grantId }),
    },
    ...(token.grantId !== undefined && { accountId: token.userId, grantId: token.grantId }),
  };
}
