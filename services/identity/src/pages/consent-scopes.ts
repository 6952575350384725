import { isAdministrator, permissionsOf } from '@fairlead/access/permissions';
import type { Scope } from '@fairlead/access/permissions';
import { SERVED_SCOPES } from '@fairlead/access/scopes';
import { SCOPE_DESCRIPTIONS } from '@fairlead/access/scope-descriptions';
import type { Member } from '../domain/records.ts';

/**
 * The scopes that the page shows: those that the member's role permits now. Further requested scopes of the REST API and MCP are granted
 * too, except `administration`; each call checks the role again.
 */
export function promisedScopes(scopes: readonly Scope[], { account, user }: Member): readonly Scope[] {
  const permissions = permissionsOf(user.role, account.isRbacEnabled);
  // Object.keys returns the record's own keys.
  return (Object.keys(SCOPE_DESCRIPTIONS) as Scope[]).filter(
    (scope) =>
      scopes.includes(scope) &&
      SERVED_SCOPES.includes(scope) &&
      (scope === 'administration' ? isAdministrator(user.role) : permissions.includes(scope)),
  );
}

/** The scopes that a consent grants: all requested scopes of existing resources; `administration` only if the role permits it. */
export function grantedScopes(scopes: readonly Scope[], { user }: Member): readonly Scope[] {
  return scopes.filter(
    (scope) => SERVED_SCOPES.includes(scope) && (scope !== 'administration' || isAdministrator(user.role)),
  );
}
