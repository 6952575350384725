import { isAdministrator, permissionsOf } from '../../identity/domain/permissions.ts';
import type { Scope } from '../../identity/domain/permissions.ts';
import type { Member } from '../../identity/domain/records.ts';

/** What each scope lets an application do, in a person's words; in the order in which they are shown. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'tools.execute': 'Run tools: read and change data in the applications that are connected',
  'connections.read': 'See the connections',
  'connections.write': 'Add, change and remove connections',
  'tools.read': 'See tools, toolsets and workflows, and what was run',
  'tools.write': 'Add, change and remove toolsets and workflows',
  'triggers.read': 'See triggers and their events',
  'triggers.write': 'Add, change and remove triggers',
  'mcpServers.read': 'See MCP servers',
  'mcpServers.write': 'Add, change and remove MCP servers',
  'agents.read': 'See on-premises agents',
  'agents.write': 'Add, change and remove on-premises agents',
  'authProviders.use': 'Connect applications through the sign-in clients of the account',
  'authProviders.create': 'Add sign-in clients (auth providers)',
  'authProviders.manage': 'Change and remove sign-in clients (auth providers)',
  administration: 'Administer the account: its users and their passwords, API keys, licences and limits',
};

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
