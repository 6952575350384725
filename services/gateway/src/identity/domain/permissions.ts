/** Every permission; OAuth scopes have the same names (completion.md "Auth and people"). */
export const PERMISSIONS = [
  'authProviders.manage',
  'authProviders.create',
  'authProviders.use',
  'connections.read',
  'connections.write',
  'tools.read',
  'tools.write',
  'tools.execute',
  'triggers.read',
  'triggers.write',
  'agents.read',
  'agents.write',
  'mcpServers.read',
  'mcpServers.write',
] as const;

/** Something that a user may be allowed to do in an account. */
export type Permission = (typeof PERMISSIONS)[number];

/** What a user is in an account. */
export const ROLES = ['owner', 'admin', 'developer', 'member'] as const;

/** One of ROLES. */
export type Role = (typeof ROLES)[number];

/** What a route asks of its caller: a permission, or account administration, which goes by role whatever the RBAC switch says. */
export type Requirement = Permission | 'administration';

const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  developer: PERMISSIONS.filter((permission) => permission !== 'authProviders.manage'),
  member: PERMISSIONS.filter(
    (permission) =>
      permission.endsWith('.read') ||
      ['connections.write', 'tools.execute', 'authProviders.use'].includes(permission),
  ),
};

const ADMINISTRATORS: readonly Role[] = ['owner', 'admin'];

/** What a member of that role may do. With RBAC off, every member may do all but account administration. */
export function permissionsOf(role: Role, isRbacEnabled: boolean): readonly Permission[] {
  return isRbacEnabled ? ROLE_PERMISSIONS[role] : PERMISSIONS;
}

/** Whether a caller of those roles and permissions meets `requirement`. */
export function isAllowed(
  requirement: Requirement,
  caller: { readonly roles: readonly Role[]; readonly permissions: readonly Permission[] },
): boolean {
  return requirement === 'administration'
    ? caller.roles.some((role) => ADMINISTRATORS.includes(role))
    : caller.permissions.includes(requirement);
}
