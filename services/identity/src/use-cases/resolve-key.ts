import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyOwner } from '../domain/records.ts';
import type { CredentialStore } from '../ports/credential-store.ts';

/** What resolveKey needs. */
export interface ResolveKeyDeps {
  readonly credentials: Pick<CredentialStore, 'findKeyOwner'>;
}

/** The owner of the API key with that hash; undefined if the key does not exist or was revoked. It may have expired. */
export async function resolveKey(
  { credentials }: ResolveKeyDeps,
  ctx: RequestContext,
  hash: string,
): Promise<KeyOwner | undefined> {
  const owner = await credentials.findKeyOwner(ctx, hash);
  return owner?.key.revokedAt === null ? owner : undefined;
}
