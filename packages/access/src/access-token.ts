import type { KeyObject } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Scope } from './permissions.ts';
import { parseScopes } from './scopes.ts';

/** The claims of an unexpired access token that we signed. */
export interface AccessToken {
  /** Its `jti`. */
  readonly tokenId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
  /** The grant that it belongs to; undefined for one of client credentials. */
  readonly grantId: string | undefined;
  /** The resource that it is for. */
  readonly audience: string;
  readonly issuedAt: Date;
}

/** Reads a JWT; undefined if we did not sign it as an access token, or if it has expired. Does not check whether it was revoked. */
export type ReadAccessToken = (token: string) => Promise<AccessToken | undefined>;

const claims = z.object({
  jti: z.string().min(1),
  aud: z.string(),
  client_id: z.string(),
  scope: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
  account_id: z.string(),
  user_id: z.string(),
  grant_id: z.string().optional(),
});

/** Tolerated difference between the clocks of replicas. */
const SKEW_SECONDS = 30;

/** Reads the access tokens of `issuer` (RFC 9068): signed RS256, and nothing else, by a key that `findKey` knows. */
export function createReadAccessToken(o: {
  readonly issuer: string;
  readonly findKey: (kid: string) => Promise<KeyObject | undefined>;
  readonly clock: Clock;
}): ReadAccessToken {
  return async (token) => {
    let payload: unknown;
    try {
      const verified = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await o.findKey(kid);
          if (key === undefined) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        {
          algorithms: ['RS256'],
          typ: 'at+jwt',
          issuer: o.issuer,
          clockTolerance: SKEW_SECONDS,
          currentDate: o.clock.now(),
        },
      );
      payload = verified.payload;
    } catch (error) {
      // Anything else is a failure of ours (the database), not of the token.
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
    const parsed = claims.safeParse(payload);
    if (!parsed.success) return undefined;
    const { jti, aud, client_id, scope, iat, exp, account_id, user_id, grant_id } = parsed.data;
    return {
      tokenId: jti,
      accountId: account_id,
      userId: user_id,
      clientId: client_id,
      scopes: parseScopes(scope),
      expiresAt: new Date(exp * 1000),
      grantId: grant_id,
      audience: aud,
      issuedAt: new Date(iat * 1000),
    };
  };
}

/** Tokens of the same key are revoked together: all of a grant; one of client credentials by itself, or with its client. */
export function revocationKey({
  grantId,
  clientId,
  tokenId,
}: Pick<AccessToken, 'grantId' | 'clientId' | 'tokenId'>): string {
  // No id contains a space.
  return grantId ?? `${clientId} ${tokenId}`;
}
