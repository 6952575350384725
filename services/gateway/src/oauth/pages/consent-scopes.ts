import { isAdministrator, permissionsOf } from '../../access/permissions.ts';
import type { Scope } from '../../access/permissions.ts';
import { SCOPE_WORDS } from '../../access/scope-words.ts';
import type { Member } from '../../identity/domain/records.ts';

/**
 * The scopes that the page may promise: those that the member's role lets a user do today. What else was asked for is
 * granted with them, but for `administration`, and each call asks the role of its day.
 */
export function promisedScopes(scopes: readonly Scope[], { account, user }: Member): readonly Scope[] {
  const permissions = permissionsOf(user.role, account.isRbacEnabled);
  // Object.keys gives what the record was made of.
  return (Object.keys(SCOPE_WORDS) as Scope[]).filter(
    (scope) =>
      scopes.includes(scope) &&
      (scope === 'administration' ? isAdministrator(user.role) : permissions.includes(scope)),
  );
}

/** The scopes that a consent grants: all that were asked for, `administration` only to whom the role gives it. */
export function grantedScopes(scopes: readonly Scope[], { user }: Member): readonly Scope[] {
  return scopes.filter((scope) => scope !== 'administration' || isAdministrator(user.role));
}
