import { TRIGGER_KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import type { TriggerType } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nameOf, namesOf } from './enums.ts';
import { presentTime } from './values.ts';

export const triggerTypeListItem = z
  .strictObject({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    applicationSlug: z.string(),
    requiresConnection: z
      .boolean()
      .describe('Whether a trigger names a connection; otherwise the server supplies one.'),
    configSchema: lazyObject.describe('JSON Schema 2020-12 of a trigger’s `configuration`.'),
    payloadSchema: lazyObject.describe('JSON Schema 2020-12 of an event’s `payload`.'),
    kind: z.enum(namesOf(TRIGGER_KIND_VALUES)),
    createdAt: timestamp,
    updatedAt: timestamp,
    score: z.number().min(0).max(1).optional().describe('Relevance; present only with a search.'),
  })
  .meta({ id: 'TriggerType' });

/** A trigger type; search results have a score from the catalog. */
export function presentTriggerType(type: TriggerType): z.output<typeof triggerTypeListItem> {
  const { score } = type;
  return {
    slug: type.slug,
    name: type.name,
    description: type.description,
    applicationSlug: type.applicationSlug,
    requiresConnection: type.requiresConnection,
    configSchema: LazyJson.object(type.configSchemaJson),
    payloadSchema: LazyJson.object(type.payloadSchemaJson),
    kind: nameOf(TRIGGER_KIND_VALUES, type.kind),
    createdAt: presentTime(type.createdAt),
    updatedAt: presentTime(type.updatedAt),
    ...(score !== undefined && { score }),
  };
}
