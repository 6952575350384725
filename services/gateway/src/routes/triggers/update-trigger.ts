import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { presentTrigger, triggerRecord } from '@fairlead/rest-records/trigger';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { triggerMembers, triggerParams } from './inputs.ts';

const body = z
  .object({
    name: triggerMembers.name.exactOptional(),
    triggerTypeSlug: triggerMembers.triggerTypeSlug.exactOptional().describe('Must not change.'),
    connectionId: triggerMembers.connectionId.exactOptional(),
    configuration: triggerMembers.configuration.exactOptional(),
    filter: triggerMembers.filter.exactOptional(),
    destinationIds: triggerMembers.destinationIds.exactOptional(),
    isEnabled: triggerMembers.isEnabled.exactOptional(),
  })
  .meta({ id: 'UpdateTriggerRequest' });

export const updateTrigger = defineRoute(
  {
    operationId: 'updateTrigger',
    method: 'patch',
    path: '/v1/triggers/{triggerId}',
    tags: ['Triggers'],
    summary: 'Change a trigger',
    description:
      'A member that is left out keeps its value; `configuration` and `destinationIds` are replaced whole. `connectionId` may ' +
      'change within the application; `triggerTypeSlug` may not change. A trigger that is enabled, or gets another ' +
      'configuration or connection, starts anew: nothing that happened before fires. A refusal of its application is answered as at ' +
      'creation.',
    services: ['triggers'],
    permission: 'triggers.write',
    params: triggerParams,
    resource: 'trigger',
    body,
    passesOn: ['configuration'],
    response: triggerRecord,
    callsApplication: true,
    errors: ['EMPTY_QUERY', 'WRONG_APPLICATION', 'CONNECTION_BLOCKED', 'CONFLICT'],
  },
  async ({ ctx, params: { triggerId: id }, body: sent, services }) => {
    const { connectionId, filter, destinationIds, configuration, ...same } = sent;
    const { trigger } = await services.triggers.updateTrigger(ctx, {
      ...same,
      id,
      ...(configuration !== undefined && { configurationJson: jsonBytes(configuration) }),
      ...(connectionId !== undefined && { connection: connectionId === null ? {} : { id: connectionId } }),
      ...(filter !== undefined && { filter: filter === null ? {} : { text: filter } }),
      ...(destinationIds !== undefined && { destinations: { ids: destinationIds } }),
    });
    return presentTrigger(required(trigger));
  },
);
