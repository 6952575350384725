import type { ChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { AccessToken } from '@fairlead/access/access-token';
import type { GrantStore } from '../ports/grant-store.ts';

/**
 * Whether a token is still valid: its grant exists, or, for client credentials, its client exists and the token was not
 * revoked. Cached as credentials are, so that it is not a query per request.
 */
export function createLiveness(
  caches: ChangeCaches,
  grants: Pick<GrantStore, 'find' | 'findClientToken'>,
): (token: AccessToken) => Promise<boolean> {
  const owners = caches.open<{ readonly accountId: string } | undefined>((found) => found?.accountId);
  const clientTokens = caches.open<{ readonly accountId: string } | undefined>((found) => found?.accountId);
  return async ({ accountId, clientId, tokenId, grantId }) => {
    const found =
      grantId === undefined
        ? // No id contains a space.
          await clientTokens.get(`${clientId} ${tokenId}`, () => grants.findClientToken(clientId, tokenId))
        : await owners.get(grantId, async () => (await grants.find(grantId))?.owner);
    return found?.accountId === accountId;
  };
}
