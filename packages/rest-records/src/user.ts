import { ROLE_VALUES } from '@fairlead/access/proto-enums';
import type { User } from '@fairlead/contracts/identity/v1/user_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { nameOf, namesOf } from './enums.ts';
import { presentTime } from './values.ts';

/** The role of a user in an account. */
export const role = z.enum(namesOf(ROLE_VALUES)).meta({ id: 'Role' });

/** A user as every route returns it. */
export const userRecord = z
  .strictObject({
    userId: z.string(),
    email: z.string().describe('In lower case; unique in the account.'),
    name: z.string(),
    role,
    isActive: z
      .boolean()
      .describe('False: every credential of the user is refused with ACCOUNT_USER_INACTIVE.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'User' });

export function presentUser(user: User): z.output<typeof userRecord> {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    role: nameOf(ROLE_VALUES, user.role),
    isActive: user.isActive,
    createdAt: presentTime(user.createdAt),
    updatedAt: presentTime(user.updatedAt),
  };
}
