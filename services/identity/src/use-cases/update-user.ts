import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import type { Actor } from '../domain/actor.ts';
import type { User } from '../domain/records.ts';
import { emailTaken } from '../domain/email-taken.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { UserStore } from '../ports/user-store.ts';

/** The changeable fields of a user; a field that is left out keeps its value. */
export interface UserChange extends Partial<Pick<User, 'email' | 'name' | 'role' | 'isActive'>> {
  readonly password?: Secret;
}

/** The dependencies of updateUser. */
export interface UpdateUserDeps {
  readonly users: Pick<UserStore, 'change'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Clock;
}

/**
 * Changes a user of the actor's account. NOT_FOUND for an unknown user; FORBIDDEN if an actor who is not an owner
 * promotes, changes or demotes an owner; CONFLICT for an e-mail that another user of the account has, and if no active
 * owner would be left.
 */
export async function updateUser(
  { users, passwords, clock }: UpdateUserDeps,
  ctx: RequestContext,
  actor: Actor,
  userId: string,
  { password, ...change }: UserChange,
): Promise<User> {
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  const decide = (user: User, hasOtherOwner: boolean) => {
    requireOwnerFor(actor, user.role, change.role);
    if (isActiveOwner(user) && !isActiveOwner({ ...user, ...change }) && !hasOtherOwner) {
      throw new ApiError('CONFLICT', 'An account needs an active owner, and this is the only one.');
    }
    return passwordHash === undefined ? change : { ...change, passwordHash };
  };
  const changed = await users.change(ctx, actor.accountId, userId, decide, clock.now());
  if (changed === 'taken') throw emailTaken();
  if (changed === undefined) throw notFound('user');
  return changed;
}

function isActiveOwner({ role, isActive }: User): boolean {
  return role === 'owner' && isActive;
}
