import { isRestrictedKey } from '@fairlead/access/principal';
import type { Principal } from '@fairlead/access/principal';
import type { KeyOwner } from './domain/call.ts';

/** The owner of a principal's idempotency keys. A restricted key has its own, because its user may see more in responses. */
export function keyOwnerOf(principal: Principal): Exclude<KeyOwner, 'operator'> {
  const { accountId, userId, credentialId } = principal;
  return { accountId, userId, ...(isRestrictedKey(principal) && { restrictedKeyId: credentialId }) };
}
