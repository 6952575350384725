import type { UserCaller } from '@fairlead/service-kit/context/caller';
import type { Owner } from '../domain/owner.ts';
import type { CredentialLookup } from '../ports/credential-lookup.ts';

interface CheckCallerDeps {
  readonly credentials: Pick<CredentialLookup, 'findTokenOwner' | 'findUser'>;
}

/** Reasons why a caller may no longer act. */
export type CallerRefusal = 'invalidCredential' | 'inactiveUser' | 'missingPermission';

/**
 * Checks a caller that was authenticated earlier. Returns why the user may no longer execute tools with that credential, or undefined if
 * they may. A caller without a credential passes. Rejects with UNAVAILABLE if this cannot be found out.
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
  // Earlier releases stored the key of a restricted caller only in `confinement`.
  return credentials.findUser({ accountId, userId, keyId: credential?.keyId ?? confinement?.keyId });
}
