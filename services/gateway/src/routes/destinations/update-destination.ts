import { z } from 'zod';
import { destinationRecord, presentDestination } from '@fairlead/rest-records/destination';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { changedHeaders, destinationMembers, destinationParams, oneOfSpellings } from './inputs.ts';

const body = z
  .object({
    name: destinationMembers.name.exactOptional(),
    url: destinationMembers.url.exactOptional(),
    headers: changedHeaders.exactOptional(),
    isEnabled: destinationMembers.isEnabled.exactOptional(),
    maxConsecutiveFailures: destinationMembers.maxConsecutiveFailures.exactOptional(),
    max_consecutive_failures: destinationMembers.max_consecutive_failures.exactOptional(),
  })
  .meta({ id: 'UpdateDestinationRequest' });

export const updateDestination = defineRoute(
  {
    operationId: 'updateDestination',
    method: 'patch',
    path: '/v1/triggers/destinations/{id}',
    tags: ['Triggers'],
    summary: 'Change a destination',
    description:
      'A member that is left out keeps its value. Disabling it holds its deliveries: events are still captured. Enabling it ' +
      'delivers the events of the last 24 hours by itself; older and dead-lettered ones need a replay.',
    services: ['destinations'],
    permission: 'triggers.write',
    params: destinationParams,
    resource: 'destination',
    body,
    response: destinationRecord,
  },
  async ({ ctx, params: { id }, body: { name, url, headers, isEnabled, ...sent }, services }) => {
    const { destination } = await services.destinations.updateDestination(ctx, {
      id,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(isEnabled !== undefined && { isEnabled }),
      ...(headers !== undefined && { headers: headerChange(headers) }),
      ...oneOfSpellings(sent),
    });
    return presentDestination(required(destination));
  },
);

function headerChange(headers: Readonly<Record<string, string | null>>) {
  const values: Record<string, string> = {};
  const kept: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) kept.push(name);
    else values[name] = value;
  }
  return { values, kept };
}
