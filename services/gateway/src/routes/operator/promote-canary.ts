import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { canaryParams } from './canary-params.ts';
import { changedCanaryRecord, presentChangedCanary } from '@fairlead/rest-records/canary';

const response = changedCanaryRecord
  .extend({
    values: z
      .record(z.string(), z.unknown())
      .describe('Values of the chart with which the next upgrade makes the canary’s release the stable one.'),
  })
  .meta({ id: 'PromotedCanary' });

export const promoteCanary = defineRoute(
  {
    operationId: 'promoteCanary',
    method: 'post',
    path: '/operator/v1/canaries/{service}/promote',
    tags: ['Operator'],
    summary: 'Promote a canary',
    description:
      'Sends the calls of all accounts to the canary, and returns the values of the chart that make its release the stable one. Returns when every process obeys, after at most half a minute.',
    auth: 'operator',
    services: ['canaries'],
    params: canaryParams,
    resource: 'canary',
    response,
    errors: ['CONFLICT'],
    callsApplication: true,
  },
  async ({ params: { service }, services }) => {
    const canary = presentChangedCanary(await services.canaries.setWeight(service, 100));
    const { image } = canary;
    const kind = image?.startsWith('sha256:') === true ? 'digest' : 'tag';
    const own = { ...(image !== null && { image: { [kind]: image } }), canary: { mode: 'none' } };
    return { ...canary, values: { services: { [service]: own } } };
  },
);
