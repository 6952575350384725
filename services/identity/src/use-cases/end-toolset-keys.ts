import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

interface EndToolsetKeysDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'endOfToolset'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/** Revokes every key of the caller's account that is restricted to the toolset, and prevents new ones for an hour. */
export async function endToolsetKeys(
  { apiKeys, changeIdentity, clock }: EndToolsetKeysDeps,
  ctx: RequestContext,
  toolsetId: string,
): Promise<void> {
  const accountId = accountOf(ctx);
  await changeIdentity(accountId, () => apiKeys.endOfToolset(ctx, accountId, toolsetId, clock.now()));
}
