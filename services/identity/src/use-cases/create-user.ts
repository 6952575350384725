import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import { emailTaken, requireLowerCase } from '../domain/email.ts';
import type { Role } from '@fairlead/access/permissions';
import { newUser } from '../domain/new-records.ts';
import type { User } from '../domain/records.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { UserStore } from '../ports/user-store.ts';

/** A user to create. */
export interface NewUser {
  /** In lower case. */
  readonly email: string;
  /** Absent: the part of the e-mail before the @. */
  readonly name?: string | undefined;
  /** Absent: the user signs in through an upstream provider, or not at all. */
  readonly password?: Secret | undefined;
  readonly role: Role;
  readonly isActive: boolean;
}

interface CreateUserDeps {
  readonly users: Pick<UserStore, 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/**
 * Creates a user of the caller's account. CONFLICT for an e-mail that the account already has; FORBIDDEN if a caller who is not an owner
 * creates an owner. Other accounts may have users with the same e-mail.
 */
export async function createUser(
  { users, passwords, changeIdentity, clock }: CreateUserDeps,
  ctx: RequestContext,
  { password, ...profile }: NewUser,
): Promise<User> {
  const actor = userOf(ctx);
  requireLowerCase('email', profile.email);
  requireOwnerFor(actor, profile.role);
  const passwordHash = password === undefined ? null : await passwords.hash(password);
  const user = newUser(prefixedId('usr'), { accountId: actor.accountId, ...profile }, clock.now());
  const isInserted = await changeIdentity(actor.accountId, () => users.insert(ctx, user, passwordHash));
  if (!isInserted) throw emailTaken();
  return user;
}
