import type { IdentityCaches } from '../identity/identity-cache.ts';
import type { AccessToken } from './access-token.ts';
import type { GrantRepository } from './storage/grant.repository.ts';

// In no id.
const SEPARATOR = ' ';

/**
 * Whether a token is still good: its grant exists, or for client credentials its client does and the token itself was not
 * revoked. Remembered as credentials are, so that it is not a query a request.
 */
export function createLiveness(
  caches: IdentityCaches,
  grants: Pick<GrantRepository, 'find' | 'findClientToken'>,
): (token: AccessToken) => Promise<boolean> {
  const findGrant = caches.cache(
    async (grantId) => (await grants.find(grantId))?.owner,
    ({ accountId }) => accountId,
  );
  const findClientToken = caches.cache(
    (key) => {
      const [clientId = '', tokenId = ''] = key.split(SEPARATOR);
      return grants.findClientToken(clientId, tokenId);
    },
    ({ accountId }) => accountId,
  );
  return async ({ accountId, clientId, tokenId, grantId }) => {
    const found =
      grantId === undefined
        ? await findClientToken(clientId + SEPARATOR + tokenId)
        : await findGrant(grantId);
    return found?.accountId === accountId;
  };
}
