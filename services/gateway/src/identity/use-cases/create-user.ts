import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import type { Actor } from '../domain/actor.ts';
import { emailTaken } from '../domain/email-taken.ts';
import type { Role } from '../../access/permissions.ts';
import { newUser } from '../domain/new-records.ts';
import type { User } from '../domain/records.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { UserStore } from '../ports/user-store.ts';

/** A user to make. */
export interface NewUser {
  /** In lower case. */
  readonly email: string;
  /** Absent: what stands before the @ of the e-mail. */
  readonly name?: string | undefined;
  /** Absent: the user signs in through an upstream provider, or not at all. */
  readonly password?: Secret | undefined;
  readonly role: Role;
  readonly isActive: boolean;
}

/** What createUser needs. */
export interface CreateUserDeps {
  readonly users: Pick<UserStore, 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Clock;
}

/**
 * Makes a user of the actor's account. CONFLICT for an e-mail that the account has already, FORBIDDEN for an owner made by
 * who is none. Whether the e-mail is known in another account changes nothing.
 */
export async function createUser(
  { users, passwords, clock }: CreateUserDeps,
  ctx: RequestContext,
  actor: Actor,
  { password, ...given }: NewUser,
): Promise<User> {
  requireOwnerFor(actor, given.role);
  const passwordHash = password === undefined ? null : await passwords.hash(password);
  const user = newUser(prefixedId('usr'), { accountId: actor.accountId, ...given }, clock.now());
  if (!(await users.insert(ctx, user, passwordHash))) throw emailTaken();
  return user;
}
