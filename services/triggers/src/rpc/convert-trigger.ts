import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TriggerSchema } from '@fairlead/contracts/triggers/v1/trigger_pb';
import type { Trigger as TriggerMessage } from '@fairlead/contracts/triggers/v1/trigger_pb';
import type {
  CreateTriggerRequest,
  UpdateTriggerRequest,
} from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Trigger, TriggerContent } from '../domain/trigger.ts';
import type { RequestedChange } from '../use-cases/update-trigger.ts';

/** The trigger that a request holds. */
export function fromCreateTriggerRequest(message: CreateTriggerRequest): TriggerContent & {
  readonly triggerTypeSlug: string;
  readonly connectionId: number | undefined;
} {
  const { name, triggerTypeSlug, connectionId, configurationJson, filter, isEnabled } = message;
  return {
    name,
    triggerTypeSlug,
    connectionId,
    configuration: LazyJson.object(configurationJson, 'configuration'),
    filter: filter ?? null,
    destinationIds: eachOnce(message.destinationIds),
    isEnabled,
  };
}

/** The change that a request asks for. */
export function fromUpdateTriggerRequest(message: UpdateTriggerRequest): RequestedChange {
  const { name, triggerTypeSlug, connection, configurationJson, filter, destinations, isEnabled } = message;
  return {
    ...(name !== undefined && { name }),
    ...(triggerTypeSlug !== undefined && { triggerTypeSlug }),
    ...(connection !== undefined && { connection: { id: connection.id } }),
    ...(configurationJson !== undefined && {
      configuration: new LazyJson(configurationJson, 'configuration'),
    }),
    ...(filter !== undefined && { filter: filter.text ?? null }),
    ...(destinations !== undefined && { destinationIds: eachOnce(destinations.ids) }),
    ...(isEnabled !== undefined && { isEnabled }),
  };
}

/** Encodes a trigger; `publicUrl` is the address of the gateway as clients see it. */
export function toTriggerMessage(trigger: Trigger, publicUrl: string): TriggerMessage {
  const { id, name, triggerTypeSlug, connectionId, configuration, filter, destinationIds, isEnabled } =
    trigger;
  const { hookToken, lastFiredAt, lastError, gaps, createdAt, updatedAt } = trigger;
  return create(TriggerSchema, {
    id,
    name,
    triggerTypeSlug,
    connectionId,
    configurationJson: configuration.bytes,
    ...(filter !== null && { filter }),
    destinationIds: [...destinationIds],
    isEnabled,
    ...(hookToken !== null && { inboundUrl: `${publicUrl}/hooks/${hookToken.reveal()}` }),
    ...(lastFiredAt !== null && { lastFiredAt: timestampFromDate(lastFiredAt) }),
    ...(lastError !== null && { lastError }),
    gaps: gaps.map(({ from, to, reason }) => ({
      from: timestampFromDate(from),
      to: timestampFromDate(to),
      reason,
    })),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}

function eachOnce(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}
