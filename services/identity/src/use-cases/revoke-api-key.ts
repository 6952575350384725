import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

/** What revokeApiKey needs. */
export interface RevokeApiKeyDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'revoke'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** Revokes a key of the caller's account; NOT_FOUND for an unknown key and for one that is already revoked. */
export async function revokeApiKey(
  { apiKeys, changeIdentity, clock }: RevokeApiKeyDeps,
  ctx: RequestContext,
  keyId: string,
): Promise<void> {
  const accountId = accountOf(ctx);
  const isRevoked = await changeIdentity(accountId, () => apiKeys.revoke(ctx, accountId, keyId, clock.now()));
  if (!isRevoked) throw notFound('API key');
}
