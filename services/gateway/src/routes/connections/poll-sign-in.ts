import { z } from 'zod';
import { completedSignIn, presentSignIn } from '@fairlead/rest-records/sign-in';
import { defineRoute } from '../define-route.ts';

export const pollSignIn = defineRoute(
  {
    operationId: 'pollSignIn',
    method: 'get',
    path: '/v1/connections/access-token/{state}',
    tags: ['Connections'],
    summary: 'Poll an OAuth sign-in',
    description: 'Returns `null` while the sign-in is pending. No response contains a token.',
    services: ['signIns'],
    permission: 'connections.write',
    // Any string: the service refuses a malformed state as OAUTH_STATE_EXPIRED, like an unknown one.
    params: z.object({ state: z.string() }),
    resource: 'sign-in',
    response: completedSignIn.nullable(),
    errors: ['OAUTH_STATE_EXPIRED', 'OAUTH_SIGN_IN_FAILED'],
  },
  async ({ ctx, params, services }) =>
    presentSignIn((await services.signIns.getSignIn(ctx, { state: params.state })).completed),
);
