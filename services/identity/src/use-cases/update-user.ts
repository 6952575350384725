import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import type { User } from '../domain/records.ts';
import { emailTaken, requireLowerCase } from '../domain/email.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { UserStore } from '../ports/user-store.ts';
import { endSignIns } from './end-sign-ins.ts';
import type { EndSignInsDeps } from './end-sign-ins.ts';

/** The changeable fields of a user; a field that is left out keeps its value. */
export interface UserChange extends Partial<Pick<User, 'email' | 'name' | 'role' | 'isActive'>> {
  readonly password?: Secret;
}

interface UpdateUserDeps extends EndSignInsDeps {
  readonly users: Pick<UserStore, 'change'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/**
 * Changes a user of the caller's account. NOT_FOUND for an unknown user; FORBIDDEN if a caller who is not an owner
 * promotes, changes or demotes an owner; CONFLICT for an e-mail that another user of the account has, and if no active
 * owner would be left. A new password ends the user's sign-ins; if that fails, the call fails and can be repeated.
 */
export async function updateUser(
  deps: UpdateUserDeps,
  ctx: RequestContext,
  userId: string,
  { password, ...change }: UserChange,
): Promise<User> {
  const { users, passwords, changeIdentity, clock } = deps;
  const actor = userOf(ctx);
  const { accountId } = actor;
  requireLowerCase('email', change.email);
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  const decide = (user: User, hasOtherOwner: boolean) => {
    requireOwnerFor(actor, user.role, change.role);
    if (isActiveOwner(user) && !isActiveOwner({ ...user, ...change }) && !hasOtherOwner) {
      throw new ApiError('CONFLICT', 'An account needs an active owner, and this is the only one.');
    }
    return passwordHash === undefined ? change : { ...change, passwordHash };
  };
  const changed = await changeIdentity(accountId, async () => {
    const result = await users.change(ctx, accountId, userId, decide, clock.now());
    // Ends sign-ins, because somebody who knew the old password may be signed in.
    if (typeof result === 'object' && passwordHash !== undefined)
      await endSignIns(deps, { accountId, userId });
    return result;
  });
  if (changed === 'taken') throw emailTaken();
  if (changed === undefined) throw notFound('user');
  return changed;
}

function isActiveOwner({ role, isActive }: User): boolean {
  return role === 'owner' && isActive;
}
