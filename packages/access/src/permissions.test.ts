import { describe, expect, test } from 'vitest';
import { PERMISSIONS, ROLES, isAllowed, permissionsOf } from './permissions.ts';

describe('permissions by role', () => {
  test.each(['owner', 'admin'] as const)('with RBAC on, an %s has all of them', (role) => {
    expect(permissionsOf(role, true)).toEqual(PERMISSIONS);
  });

  test('with RBAC on, a developer has all but managing auth providers', () => {
    expect(
      PERMISSIONS.filter((permission) => !permissionsOf('developer', true).includes(permission)),
    ).toEqual(['authProviders.manage']);
  });

  test('with RBAC on, a member reads everything, writes connections, executes tools and uses auth providers', () => {
    expect(permissionsOf('member', true)).toEqual([
      'authProviders.use',
      'connections.read',
      'connections.write',
      'tools.read',
      'tools.execute',
      'triggers.read',
      'agents.read',
      'mcpServers.read',
    ]);
  });

  test('with RBAC off, every role has all of them', () => {
    for (const role of ROLES) expect(permissionsOf(role, false)).toEqual(PERMISSIONS);
  });

  test('account administration goes by role, whatever the RBAC switch says', () => {
    for (const role of ROLES) {
      const caller = { roles: [role], permissions: PERMISSIONS, isAdministrationGranted: true };
      expect(isAllowed('administration', caller)).toBe(role === 'owner' || role === 'admin');
    }
  });

  test('an owner whose credential does not grant administration may not administrate', () => {
    const caller = { roles: ['owner'], permissions: PERMISSIONS, isAdministrationGranted: false } as const;
    expect(isAllowed('administration', caller)).toBe(false);
    expect(isAllowed('connections.write', caller)).toBe(true);
  });
});
