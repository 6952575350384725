import { z } from 'zod';
import { handlerName } from './schema/authentication.ts';
import { headShape } from './schema/connector.ts';
import { httpRequestTemplate, jsonObject, responseMapping } from './schema/request.ts';
import { semanticVersion, toolShape } from './schema/tool.ts';
import { triggerTypeShape } from './schema/trigger-type.ts';
import { MAX_TRIGGER_TYPES } from './limits.ts';

const manifestTool = z
  .strictObject({
    ...toolShape,
    description: toolShape.description.min(1),
    category: toolShape.category.min(1),
    version: semanticVersion.optional().describe("Version of the tool; by default the connector's."),
    request: httpRequestTemplate
      .optional()
      .describe('The HTTP request that the tool sends. Give either this or a handler.'),
    response: responseMapping
      .optional()
      .describe(
        "Which part of the response becomes the output; by default the whole JSON body. Only with 'request'.",
      ),
    handler: handlerName
      .optional()
      .describe("A function in the connector's handlers.ts, instead of a request."),
  })
  .superRefine((tool, context) => {
    if ((tool.request === undefined) === (tool.handler === undefined)) {
      context.addIssue({ code: 'custom', message: "must have either 'request' or 'handler'" });
    }
    if (tool.response !== undefined && tool.request === undefined) {
      context.addIssue({ code: 'custom', path: ['response'], message: "is only allowed with 'request'" });
    }
  })
  .describe('One operation of the application.');

const manifestTriggerType = z
  .strictObject(triggerTypeShape)
  .describe('Something that may happen in the application, on which triggers fire.');

/**
 * `connectors/<slug>/connector.yaml`: one application, its authentication methods, tools and trigger types, written by people. The
 * published JSON Schema is generated from it, so every member carries a description.
 */
export const manifestSchema = z.strictObject({
  ...headShape,
  schemas: z
    .record(z.string(), jsonObject)
    .default({})
    .describe(
      'JSON Schemas to use in tools and trigger types as {"$ref": "#/schemas/<name>"}; members beside the $ref override.',
    ),
  tools: z.array(manifestTool).max(1000).default([]).describe('The operations of the application.'),
  triggerTypes: z
    .array(manifestTriggerType)
    .max(MAX_TRIGGER_TYPES)
    .default([])
    .describe('What triggers may fire on.'),
});

/** A manifest with its defaults filled in. */
export type Manifest = z.output<typeof manifestSchema>;

/** The JSON Schema 2020-12 of manifests, published as `connectors/connector.schema.json` for editors. */
export function manifestJsonSchema(): Record<string, unknown> {
  return {
    title: 'Fairlead connector manifest',
    description:
      'connectors/<slug>/connector.yaml: one application, its authentication methods, its tools and its trigger types.',
    ...z.toJSONSchema(manifestSchema, { io: 'input', target: 'draft-2020-12', reused: 'ref' }),
  };
}
