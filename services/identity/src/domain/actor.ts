import { ApiError } from '@fairlead/errors/api-error';
import type { Role } from '@fairlead/access/permissions';

/** The administrator who makes a change; `roles` as the gateway signed them. */
export interface Actor {
  readonly roles: readonly string[];
}

/**
 * Throws FORBIDDEN if an actor who is not an owner changes an owner or what belongs to one (keys, OAuth clients): an actor
 * who could create an owner, change an owner's password or create a key for an owner would have an owner's rights, and one
 * who could revoke an owner's keys could lock the owner out.
 */
export function requireOwnerFor(actor: Actor, ...roles: readonly (Role | undefined)[]): void {
  if (!roles.includes('owner') || actor.roles.includes('owner')) return;
  throw new ApiError(
    'FORBIDDEN',
    'Only an owner may create, change or act for an owner, or revoke what belongs to one.',
  );
}
