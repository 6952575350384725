import { ApiError } from '@fairlead/errors/api-error';
import type { Principal } from '../../access/principal.ts';
import type { Role } from '../../access/permissions.ts';

/** The administrator who does something. */
export type Actor = Pick<Principal, 'accountId' | 'userId' | 'roles'>;

/**
 * Throws FORBIDDEN where someone who is no owner touches what an owner is: whoever could make an owner, change an owner's
 * password or make a key of an owner would be one.
 */
export function requireOwnerFor(actor: Actor, ...roles: readonly (Role | undefined)[]): void {
  if (!roles.includes('owner') || actor.roles.includes('owner')) return;
  throw new ApiError('FORBIDDEN', 'Only an owner may create, change or act for an owner.');
}
