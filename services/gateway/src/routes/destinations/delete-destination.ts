import { defineRoute } from '../define-route.ts';
import { destinationParams } from './inputs.ts';

/** DELETE /v1/triggers/destinations/{id} */
export const deleteDestination = defineRoute(
  {
    operationId: 'deleteDestination',
    method: 'delete',
    path: '/v1/triggers/destinations/{id}',
    tags: ['Triggers'],
    summary: 'Delete a destination',
    description:
      'Its open deliveries end, and triggers that name it lose it. Attempts that were made stay visible.',
    auth: 'credential',
    services: ['destinations'],
    permission: 'triggers.write',
    params: destinationParams,
    resource: 'destination',
    errors: [],
  },
  async ({ ctx, params: { id }, services }) => {
    await services.destinations.deleteDestination(ctx, { id });
    return undefined;
  },
);
