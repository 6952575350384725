import type { Trigger } from '@fairlead/contracts/triggers/v1/trigger_pb';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { presentOptionalTime, presentTime } from './values.ts';

const gap = z.strictObject({ from: timestamp, to: timestamp, reason: z.string() }).meta({ id: 'TriggerGap' });

export const triggerRecord = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    triggerTypeSlug: z.string(),
    connectionId: z.int32().describe('Supplied by the server if the type needs no connection.'),
    configuration: lazyObject,
    filter: z.string().nullable(),
    destinationIds: z.array(z.string()),
    isEnabled: z.boolean(),
    inboundUrl: z
      .string()
      .nullable()
      .describe(
        'The address whose calls fire it; anybody who knows it may call. Null unless the type is http_webhook.',
      ),
    lastFiredAt: timestamp.nullable(),
    lastError: z.string().nullable(),
    gaps: z.array(gap).describe('Times during which it may have missed firings; the last 10.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Trigger' });

export function presentTrigger(trigger: Trigger): z.output<typeof triggerRecord> {
  const { filter = null, inboundUrl = null, lastError = null } = trigger;
  return {
    id: trigger.id,
    name: trigger.name,
    triggerTypeSlug: trigger.triggerTypeSlug,
    connectionId: trigger.connectionId,
    configuration: LazyJson.object(trigger.configurationJson),
    filter,
    destinationIds: trigger.destinationIds,
    isEnabled: trigger.isEnabled,
    inboundUrl,
    lastFiredAt: presentOptionalTime(trigger.lastFiredAt),
    lastError,
    gaps: trigger.gaps.map(({ from, to, reason }) => ({
      from: presentTime(from),
      to: presentTime(to),
      reason,
    })),
    createdAt: presentTime(trigger.createdAt),
    updatedAt: presentTime(trigger.updatedAt),
  };
}
