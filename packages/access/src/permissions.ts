/** Every permission (row completion.auth-and-people.6). */
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

/**
 * OAuth scopes: the permissions, and account administration. The latter is never granted by default, so that an
 * application acting for an administrator cannot administer the account unless this was granted.
 */
export const SCOPES = [...PERMISSIONS, 'administration'] as const;

export type Scope = (typeof SCOPES)[number];

/** The roles of a user in an account. */
export const ROLES = ['owner', 'admin', 'developer', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** The right that a route requires of its caller: a permission, or account administration, which depends on the role even if RBAC is off. */
export type Requirement = Scope;

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

/** Whether the role may administer its account. */
export function isAdministrator(role: Role): boolean {
  return ADMINISTRATORS.includes(role);
}

/** The permissions of a role. With RBAC off, every role has all of them. */
export function permissionsOf(role: Role, isRbacEnabled: boolean): readonly Permission[] {
  return isRbacEnabled ? ROLE_PERMISSIONS[role] : PERMISSIONS;
}

/**
 * Whether a caller meets `requirement`. Administration requires the role and a credential that grants it: an API key,
 * or a bearer token with that scope.
 */
export function isAllowed(
  requirement: Requirement,
  caller: {
    readonly roles: readonly Role[];
    readonly permissions: readonly Permission[];
    readonly isAdministrationGranted: boolean;
  },
): boolean {
  return requirement === 'administration'
    ? caller.isAdministrationGranted && caller.roles.some(isAdministrator)
    : caller.permissions.includes(requirement);
}
