import { issuedDestinationRecord, presentDestination } from '@fairlead/rest-records/destination';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { destinationParams } from './inputs.ts';

export const rotateDestinationSecret = defineRoute(
  {
    operationId: 'rotateDestinationSecret',
    method: 'post',
    path: '/v1/triggers/destinations/{id}/rotate-secret',
    tags: ['Triggers'],
    summary: 'Replace the signing secret of a destination',
    description:
      'There is no overlap: once this has answered, no request begins that is signed with the former secret, retries of earlier events included.',
    services: ['destinations'],
    permission: 'triggers.write',
    params: destinationParams,
    resource: 'destination',
    response: issuedDestinationRecord,
  },
  async ({ ctx, params: { id }, services }) => {
    const { destination, signingSecret } = await services.destinations.rotateSecret(ctx, { id });
    return { ...presentDestination(required(destination)), signingSecret };
  },
);
