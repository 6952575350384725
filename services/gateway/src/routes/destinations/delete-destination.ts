import { defineRoute } from '../define-route.ts';
import { destinationParams } from './inputs.ts';

export const deleteDestination = defineRoute(
  {
    operationId: 'deleteDestination',
    method: 'delete',
    path: '/v1/triggers/destinations/{id}',
    tags: ['Triggers'],
    summary: 'Delete a destination',
    description:
      'Its open deliveries end, and triggers that name it lose it. Attempts that were made stay visible.',
    services: ['destinations', 'triggers'],
    permission: 'triggers.write',
    params: destinationParams,
    resource: 'destination',
  },
  async ({ ctx, params: { id }, services }) => {
    const { destinations, triggers } = services;
    await destinations.deleteDestination(ctx, { id });
    // If this fails, the triggers service repeats it when it learns of the deletion.
    await triggers.removeDestinations(ctx, { ids: [id] }).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'could not remove a deleted destination from its triggers yet');
    });
    return undefined;
  },
);
