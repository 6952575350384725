import { ROLE_VALUES } from '@fairlead/access/proto-enums';
import { z } from 'zod';
import { presentUser, role, userRecord } from '@fairlead/rest-records/user';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { email, password, userName, userParams } from './user-inputs.ts';

const body = z
  .object({
    email: email.exactOptional(),
    name: userName.exactOptional(),
    password: password.exactOptional(),
    role: role.exactOptional(),
    isActive: z.boolean().exactOptional(),
  })
  .meta({ id: 'UpdateUserRequest' });

export const updateUser = defineRoute(
  {
    operationId: 'updateUser',
    method: 'patch',
    path: '/admin/v1/users/{userId}',
    tags: ['Administration'],
    summary: 'Change a user of the account',
    description:
      'A member that is left out keeps its value. Only an owner may change an owner or make a user one; the last active owner can be neither ' +
      'demoted nor deactivated. A new password ends every sign-in of the user, including one that this call was made with.',
    services: ['users'],
    permission: 'administration',
    params: userParams,
    resource: 'user',
    body,
    response: userRecord,
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { userId: id }, body: { role: named, password: plain, ...sent }, services }) => {
    const { user } = await services.users.updateUser(ctx, {
      ...sent,
      id,
      ...(named !== undefined && { role: ROLE_VALUES[named] }),
      ...(plain !== undefined && { password: plain.reveal() }),
    });
    return presentUser(required(user));
  },
);
