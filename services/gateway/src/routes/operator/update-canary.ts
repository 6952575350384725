import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { canaryParams } from './canary-params.ts';
import { changedCanaryRecord, presentChangedCanary } from '@fairlead/rest-records/canary';

const body = z
  .object({
    weight: z
      .number()
      .min(0)
      .max(100)
      .describe('Percentage of the accounts whose calls go to the canary. A higher one only adds accounts.'),
  })
  .meta({ id: 'UpdateCanaryRequest' });

export const updateCanary = defineRoute(
  {
    operationId: 'updateCanary',
    method: 'patch',
    path: '/operator/v1/canaries/{service}',
    tags: ['Operator'],
    summary: 'Change the weight of a canary',
    description:
      'Ends an abort. Returns when every process obeys, after at most half a minute. New values of the canary in the chart replace the change; with mode `route`, the next change of the route does.',
    auth: 'operator',
    services: ['canaries'],
    params: canaryParams,
    resource: 'canary',
    body,
    response: changedCanaryRecord,
    errors: ['CONFLICT'],
    callsApplication: true,
  },
  async ({ params: { service }, body: { weight }, services }) =>
    presentChangedCanary(await services.canaries.setWeight(service, weight)),
);
