import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { canaryParams } from './canary-params.ts';
import { changedCanaryRecord, presentChangedCanary } from '@fairlead/rest-records/canary';

const query = z.object({
  by: z.enum(['operator', 'analysis']).default('operator').describe('Who aborts, for the record.'),
});

export const abortCanary = defineRoute(
  {
    operationId: 'abortCanary',
    method: 'post',
    path: '/operator/v1/canaries/{service}/abort',
    tags: ['Operator'],
    summary: 'Abort a canary',
    description:
      'Sends all calls to stable, also those of pinned accounts and with `x-canary-<service>`, until a weight is set. With mode `route`, also until the weight of the route was 0. Returns when every process obeys, after at most half a minute.',
    auth: 'operator',
    services: ['canaries'],
    params: canaryParams,
    resource: 'canary',
    query,
    response: changedCanaryRecord,
    errors: ['CONFLICT'],
    callsApplication: true,
  },
  async ({ params: { service }, query: { by }, services }) =>
    presentChangedCanary(await services.canaries.abort(service, by)),
);
