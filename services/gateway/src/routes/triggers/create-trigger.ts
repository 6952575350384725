import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { presentTrigger, triggerRecord } from '@fairlead/rest-records/trigger';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { triggerMembers } from './inputs.ts';

const body = z
  .object({
    name: triggerMembers.name,
    triggerTypeSlug: triggerMembers.triggerTypeSlug,
    connectionId: triggerMembers.connectionId.exactOptional(),
    configuration: triggerMembers.configuration.default({}),
    filter: triggerMembers.filter.default(null),
    destinationIds: triggerMembers.destinationIds.default([]),
    isEnabled: triggerMembers.isEnabled.default(true),
  })
  .meta({ id: 'CreateTriggerRequest' });

export const createTrigger = defineRoute(
  {
    operationId: 'createTrigger',
    method: 'post',
    path: '/v1/triggers',
    tags: ['Triggers'],
    summary: 'Create a trigger',
    description:
      'Each firing becomes an event, which is delivered to the destinations. A type that needs a connection answers EMPTY_QUERY ' +
      'without one. Checked in this order: the type, the connection, the destinations, then `configuration` and `filter`. An ' +
      'account has at most 1000 triggers. Creating one that is enabled may call the application, to see where a poll begins or to register an ' +
      'address: if it refuses, the answer is VALIDATION_ERROR on `connectionId` with its words.',
    services: ['triggers'],
    permission: 'triggers.write',
    body,
    passesOn: ['configuration'],
    response: triggerRecord,
    status: 201,
    callsApplication: true,
    errors: ['NOT_FOUND', 'EMPTY_QUERY', 'WRONG_APPLICATION', 'CONNECTION_BLOCKED', 'CONFLICT'],
  },
  async ({ ctx, body: { connectionId = null, filter, configuration, ...sent }, services }) => {
    const { trigger } = await services.triggers.createTrigger(ctx, {
      ...sent,
      configurationJson: jsonBytes(configuration),
      ...(connectionId !== null && { connectionId }),
      ...(filter !== null && { filter }),
    });
    return presentTrigger(required(trigger));
  },
);
