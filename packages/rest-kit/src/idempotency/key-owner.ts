import { isRestrictedKey } from '@fairlead/access/principal';
import type { Principal } from '@fairlead/access/principal';
import type { KeyOwner } from './domain/call.ts';

/** The owner of a principal's idempotency keys. A restricted key shares no answers with its user, who may be told more. */
export function keyOwnerOf(principal: Principal): Exclude<KeyOwner, 'operator'> {
  const { accountId, userId, credentialId } = principal;
  return { accountId, userId, ...(isRestrictedKey(principal) && { restrictedKeyId: credentialId }) };
}
