import { defineCollection } from '@fairlead/service-kit/mongo';
import type { Role } from '../domain/permissions.ts';

/** A user's place in an account as it is stored. */
export interface MembershipDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly role: Role;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Memberships; one a user and account. */
export const membershipCollection = defineCollection<MembershipDocument>({
  name: 'memberships',
  indexes: [{ key: { accountId: 1, userId: 1 }, unique: true }],
});
