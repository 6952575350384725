import { z } from 'zod';
import { completedSignIn, presentSignIn } from '../../present/sign-in.ts';
import { defineRoute } from '../define-route.ts';

/** GET /v1/connections/access-token/{state} */
export const pollSignIn = defineRoute(
  {
    operationId: 'pollSignIn',
    method: 'get',
    path: '/v1/connections/access-token/{state}',
    tags: ['Connections'],
    summary: 'Poll an OAuth sign-in',
    description: 'Answers `null` while the sign-in is pending. Neither answer holds a token.',
    auth: 'credential',
    services: ['signIns'],
    permission: 'connections.write',
    // Not by its form: a malformed state is OAUTH_STATE_EXPIRED as an unknown one is, which the service says.
    params: z.object({ state: z.string() }),
    resource: 'sign-in',
    response: completedSignIn.nullable(),
    errors: ['OAUTH_STATE_EXPIRED', 'OAUTH_SIGN_IN_FAILED'],
  },
  async ({ ctx, params, services }) =>
    presentSignIn((await services.signIns.getSignIn(ctx, { state: params.state })).completed),
);
