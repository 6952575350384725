import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { Owner } from '../domain/owner.ts';

/** An active member of the open account `acc_1`, with the given changes. */
export function testOwner(o: Partial<Owner['member']> = {}): Owner {
  return {
    member: {
      accountId: 'acc_1',
      accountName: 'Account',
      userId: 'usr_1',
      userName: 'Mara',
      userEmail: 'mara@test.example',
      roles: ['member'],
      permissions: [],
      budgets: DEFAULT_BUDGETS,
      defaultLicence: 'active',
      maxConnectionsPerEndUser: 20,
      ...o,
    },
    isActive: true,
    isAccountOpen: true,
  };
}
