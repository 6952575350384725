import { z } from 'zod';
import { MAX_DESCRIPTION_LENGTH, MAX_TOOL_NAME_LENGTH } from '../limits.ts';
import { TRIGGER_KINDS } from '../enumerations.ts';
import { jsonObject } from './request.ts';
import { pollRecipe, webhookRecipe } from './trigger-recipes.ts';

const emptyObject = { type: 'object', properties: {} };

/** The common members of manifest trigger types and compiled ones. */
export const triggerTypeShape = {
  slug: z
    .string()
    .max(128)
    .regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by - or _')
    .describe('Public id, such as <slug of the connector>-<noun>-created. Its meaning never changes.'),
  name: z.string().min(1).max(MAX_TOOL_NAME_LENGTH).describe('Name of the trigger type for people.'),
  description: z
    .string()
    .min(1)
    .max(MAX_DESCRIPTION_LENGTH)
    .describe('What happens when a trigger of this type fires.'),
  kind: z
    .enum(TRIGGER_KINDS)
    .describe(
      'poll: the application is asked repeatedly. webhook: somebody calls. schedule: at certain times. system: the platform itself reports it.',
    ),
  requiresConnection: z
    .boolean()
    .default(true)
    .describe('Whether a trigger names a connection; otherwise the server supplies one.'),
  configSchema: jsonObject
    .default(emptyObject)
    .describe("JSON Schema 2020-12 of a trigger's configuration, type object."),
  payloadSchema: jsonObject
    .default(emptyObject)
    .describe("JSON Schema 2020-12 of an event's payload, type object."),
  poll: pollRecipe.nullable().default(null).describe('How the application is asked what is new.'),
  webhook: webhookRecipe
    .nullable()
    .default(null)
    .describe('How the application is told where to call, and how its calls are read.'),
};
