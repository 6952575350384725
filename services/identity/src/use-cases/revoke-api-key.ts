import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requireOwnerFor } from '../domain/actor.ts';
import type { User } from '../domain/records.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

interface RevokeApiKeyDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'revoke'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/**
 * Revokes a key of the caller's account. NOT_FOUND for an unknown key and for one that is already revoked; FORBIDDEN if a
 * caller who is not an owner revokes an owner's key.
 */
export async function revokeApiKey(
  { apiKeys, changeIdentity, clock }: RevokeApiKeyDeps,
  ctx: RequestContext,
  keyId: string,
): Promise<void> {
  const actor = userOf(ctx);
  const { accountId } = actor;
  const check = (user: User | undefined): void => {
    requireOwnerFor(actor, user?.role);
  };
  const isRevoked = await changeIdentity(accountId, () =>
    apiKeys.revoke(ctx, accountId, keyId, check, clock.now()),
  );
  if (!isRevoked) throw notFound('API key');
}
