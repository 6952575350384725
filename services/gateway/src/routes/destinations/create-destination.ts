import { z } from 'zod';
import { issuedDestinationRecord, presentDestination } from '@fairlead/rest-records/destination';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { destinationMembers, newHeaders, oneOfSpellings } from './inputs.ts';

const body = z
  .object({
    name: destinationMembers.name.exactOptional().describe('Default: the host of the URL.'),
    url: destinationMembers.url,
    headers: newHeaders.default({}),
    isEnabled: destinationMembers.isEnabled.default(true),
    maxConsecutiveFailures: destinationMembers.maxConsecutiveFailures.exactOptional(),
    max_consecutive_failures: destinationMembers.max_consecutive_failures.exactOptional(),
  })
  .meta({ id: 'CreateDestinationRequest' });

export const createDestination = defineRoute(
  {
    operationId: 'createDestination',
    method: 'post',
    path: '/v1/triggers/destinations',
    tags: ['Triggers'],
    summary: 'Create a destination',
    description:
      'An address that triggers deliver their events to. `signingSecret` is returned only here and when it is rotated; each request is signed with it.',
    services: ['destinations'],
    permission: 'triggers.write',
    body,
    response: issuedDestinationRecord,
    status: 201,
    errors: ['CONFLICT'],
  },
  async ({ ctx, body: { name = '', url, headers, isEnabled, ...sent }, services }) => {
    const { destination, signingSecret } = await services.destinations.createDestination(ctx, {
      name,
      url,
      headers,
      isEnabled,
      ...oneOfSpellings(sent),
    });
    return { ...presentDestination(required(destination)), signingSecret };
  },
);
