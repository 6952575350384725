import { ROLE_VALUES } from '@fairlead/access/proto-enums';
import { z } from 'zod';
import { presentUser, role, userRecord } from '@fairlead/rest-records/user';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { email, password, userName } from './user-inputs.ts';

const body = z
  .object({
    email,
    name: userName.exactOptional().describe('Absent: the part of the e-mail address before the @.'),
    password: password.exactOptional().describe('Absent: the user cannot sign in with a password.'),
    role: role.default('member'),
    isActive: z.boolean().default(true),
  })
  .meta({ id: 'CreateUserRequest' });

export const createUser = defineRoute(
  {
    operationId: 'createUser',
    method: 'post',
    path: '/admin/v1/users',
    tags: ['Administration'],
    summary: 'Create a user of the account',
    description:
      'A user belongs to this account only: a person who works in several accounts has a user with a password in each. Only an ' +
      'owner may create an owner.',
    services: ['users'],
    resource: 'user',
    permission: 'administration',
    body,
    response: userRecord,
    status: 201,
    errors: ['CONFLICT'],
  },
  async ({ ctx, body: { role: named, password: plain, ...sent }, services }) => {
    const { user } = await services.users.createUser(ctx, {
      ...sent,
      role: ROLE_VALUES[named],
      ...(plain !== undefined && { password: plain.reveal() }),
    });
    return presentUser(required(user));
  },
);
