import { presentPrincipal, whoamiRecord } from '@fairlead/rest-records/principal';
import { defineRoute } from '../define-route.ts';

export const whoami = defineRoute(
  {
    operationId: 'whoami',
    method: 'get',
    path: '/v1/auth/whoami',
    tags: ['Auth'],
    summary: 'Verify a credential',
    description: 'Returns the owner of the credential and what the owner may do.',
    toolsetKeys: 'any',
    response: whoamiRecord,
  },
  ({ principal }) => Promise.resolve(presentPrincipal(principal)),
);
