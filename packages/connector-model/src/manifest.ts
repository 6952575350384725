import { z } from 'zod';
import { authenticationMethod, fieldDescriptor } from './schema/authentication.ts';
import { headShape } from './schema/connector.ts';
import { importedOperation, importSource, vendorHosts } from './schema/import-source.ts';
import { manifestTool } from './schema/manifest-tool.ts';
import { presetField } from './schema/preset-field.ts';
import { jsonObject } from './schema/request.ts';
import { triggerTypeShape } from './schema/trigger-type.ts';
import { MAX_TOOLS, MAX_TRIGGER_TYPES } from './limits.ts';

const manifestTriggerType = z
  .strictObject(triggerTypeShape)
  .describe('Something that may happen in the application, on which triggers fire.');

/**
 * The format of `connectors/<slug>/connector.yaml`: one application, its authentication methods, tools and trigger
 * types. The published JSON Schema is generated from it, so every member has a description.
 */
export const manifestSchema = z.strictObject({
  ...headShape,
  icon: z
    .string()
    .regex(/^[a-z0-9]{1,64}$/, 'must be the name of an icon, such as googledrive')
    .nullable()
    .optional()
    .describe(
      'Name of its icon in the package simple-icons, without `logoUrl`; by default its slug without the dashes, if there is such an icon. Null: a letter.',
    ),
  authenticationMethods: z
    .array(
      authenticationMethod.extend({
        fields: z
          .array(z.union([presetField, fieldDescriptor]))
          .max(50)
          .default([])
          .describe('The fields of a connection with this method.'),
      }),
    )
    .min(1)
    .max(20)
    .describe('The ways to connect the application; one that needs no credential has a method of type none.'),
  schemas: z
    .record(z.string(), jsonObject)
    .default({})
    .describe(
      'JSON Schemas to use in tools and trigger types as {"$ref": "#/schemas/<name>"}; members beside the $ref override. A trigger type may use {"$ref": "#/items/<toolSlug>"}, an item of the list that this tool returns.',
    ),
  tools: z.array(manifestTool).max(MAX_TOOLS).default([]).describe('The operations of the application.'),
  hosts: vendorHosts
    .optional()
    .describe(
      'Domains of the vendor, for an application without `source`: every address is within one of them, and there are at least 5 tools.',
    ),
  source: importSource.optional(),
  operations: z
    .array(importedOperation)
    .max(MAX_TOOLS)
    .default([])
    .describe('Tools made of operations of the description in `source`.'),
  triggerTypes: z
    .array(manifestTriggerType)
    .max(MAX_TRIGGER_TYPES)
    .default([])
    .describe('What triggers may fire on.'),
});

/** A manifest with all defaults. */
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
