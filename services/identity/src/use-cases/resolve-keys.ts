import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { KeyOwner } from '../domain/records.ts';
import type { CredentialStore } from '../ports/credential-store.ts';

/** The most keys that one call resolves. */
const MAX_KEYS = 100;

/**
 * The owners of API keys, in the order of the hashes. Undefined if a key does not exist or was revoked, or if it is restricted and the
 * caller does not enforce restrictions (`takesRestrictions`). A key may have expired. VALIDATION_ERROR for more than 100.
 */
export async function resolveKeys(
  { credentials }: { readonly credentials: Pick<CredentialStore, 'findKeyOwners'> },
  ctx: RequestContext,
  { hashes, takesRestrictions }: { readonly hashes: readonly string[]; readonly takesRestrictions: boolean },
): Promise<readonly (KeyOwner | undefined)[]> {
  if (hashes.length > MAX_KEYS) {
    throw validationError({ field: 'hashes', issue: `must be at most ${MAX_KEYS}` });
  }
  const owners = await credentials.findKeyOwners(ctx, hashes);
  return hashes.map((hash) => {
    const owner = owners.get(hash);
    if (owner?.key.revokedAt !== null) return undefined;
    const isRestricted = owner.key.scopes !== null || owner.key.toolsetId !== null;
    return isRestricted && !takesRestrictions ? undefined : owner;
  });
}
