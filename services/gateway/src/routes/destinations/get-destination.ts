import { destinationRecord, presentDestination } from '@fairlead/rest-records/destination';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { destinationParams } from './inputs.ts';

export const getDestination = defineRoute(
  {
    operationId: 'getDestination',
    method: 'get',
    path: '/v1/triggers/destinations/{id}',
    tags: ['Triggers'],
    summary: 'Get a destination',
    services: ['destinations'],
    permission: 'triggers.read',
    params: destinationParams,
    resource: 'destination',
    response: destinationRecord,
  },
  async ({ ctx, params: { id }, services }) => {
    const { destination } = await services.destinations.getDestination(ctx, { id });
    return presentDestination(required(destination));
  },
);
