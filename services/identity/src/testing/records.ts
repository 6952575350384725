import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { Account, ApiKeyRecord, User } from '../domain/records.ts';

const MADE = { createdAt: new Date('2026-01-01T00:00:00Z'), updatedAt: new Date('2026-01-02T00:00:00Z') };

/** The account `acc_1` with RBAC on, with the given changes. */
export function testAccount(o: Partial<Account> = {}): Account {
  return {
    id: 'acc_1',
    name: 'Account',
    isRbacEnabled: true,
    defaultLicence: 'active',
    maxConnectionsPerEndUser: 20,
    budgets: DEFAULT_BUDGETS,
    erasingAt: null,
    ...MADE,
    ...o,
  };
}

/** An active member of `acc_1`, with the given changes. */
export function testUser(o: Partial<User> = {}): User {
  return {
    id: 'usr_1',
    accountId: 'acc_1',
    email: 'mara@test.example',
    name: 'Mara',
    role: 'member',
    isActive: true,
    ...MADE,
    ...o,
  };
}

/** A key of that user without expiry, with the given changes. */
export function testApiKey(o: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: 'key_1',
    accountId: 'acc_1',
    userId: 'usr_1',
    name: 'Key',
    maskedKey: 'fairlead_abcd…',
    scopes: null,
    toolsetId: null,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...MADE,
    ...o,
  };
}
