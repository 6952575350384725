import type { UserCaller } from '@fairlead/service-kit/context/caller';
import type { Owner } from '../domain/owner.ts';
import type { CredentialLookup } from '../ports/credential-lookup.ts';

interface CheckCallerDeps {
  readonly credentials: Pick<CredentialLookup, 'findTokenOwner' | 'findUser'>;
}

/** Why a caller may not act any more. */
export type CallerRefusal = 'invalidCredential' | 'inactiveUser' | 'missingPermission';

/**
 * Checks a caller that was authenticated a while ago: why that user may not execute tools with that credential any more, or undefined
 * if they may. The credential of a caller without one is not checked. Rejects with UNAVAILABLE if nobody knows.
 */
export async function checkCaller(
  deps: CheckCallerDeps,
  caller: UserCaller,
): Promise<CallerRefusal | undefined> {
  const owner = await findOwner(deps, caller);
  const { accountId, userId } = caller;
  if (owner?.member.accountId !== accountId || owner.member.userId !== userId || !owner.isAccountOpen)
    return 'invalidCredential';
  if (!owner.isActive) return 'inactiveUser';
  return owner.member.permissions.includes('tools.execute') ? undefined : 'missingPermission';
}

function findOwner(
  { credentials }: CheckCallerDeps,
  { accountId, userId, credential, confinement }: UserCaller,
): Promise<Owner | undefined> {
  if (credential !== undefined && 'tokenId' in credential) {
    const { tokenId, clientId, grantId } = credential;
    return credentials.findTokenOwner({ accountId, userId, tokenId, clientId, grantId });
  }
  // A confined caller that was stored by an earlier release has its key there alone.
  return credentials.findUser({ accountId, userId, keyId: credential?.keyId ?? confinement?.keyId });
}
